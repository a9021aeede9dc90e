//! First bytes of compressed and binary files.

use super::refusal::Foreign;

const EXPORT: &str = "export a table with a source and a target column as CSV or Parquet";
const ZLIB: &str = "unpack it with `pigz -dz < FILE > NEW`";
const UTF16: Foreign =
    Foreign { name: "text in UTF-16", advice: "convert it with `iconv -f UTF-16 -t UTF-8 FILE > NEW`" };
const UTF32: Foreign =
    Foreign { name: "text in UTF-32", advice: "convert it with `iconv -f UTF-32 -t UTF-8 FILE > NEW`" };

/// Offset and bytes of a signature, name, advice.
const SIGNATURES: &[(usize, &[u8], &str, &str)] = &[
    (0, b"BZh", "a bzip2 file", "unpack it with `bunzip2 -k FILE`"),
    (0, b"\xfd7zXZ\0", "an xz file", "unpack it with `xz -dk FILE`"),
    (0, b"\x5d\0\0\x80\0", "an LZMA file", "unpack it with `xz --format=lzma -dk FILE`"),
    (0, b"LZIP", "a lzip file", "unpack it with `lzip -dk FILE`"),
    (0, b"\x04\x22\x4d\x18", "an lz4 file", "unpack it with `lz4 -d FILE NEW`"),
    (0, b"\x02\x21\x4c\x18", "an lz4 file", "unpack it with `lz4 -d FILE NEW`"),
    (0, b"\xff\x06\0\0sNaPpY", "a snappy file", "unpack it with `snzip -dk FILE`"),
    (0, b"\x1f\x9d", "a compress (.Z) file", "unpack it with `uncompress FILE`"),
    (0, b"x\x01", "zlib data", ZLIB),
    (0, b"x\x9c", "zlib data", ZLIB),
    (0, b"x\xda", "zlib data", ZLIB),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it with `7z x FILE`"),
    (0, b"Rar!\x1a\x07", "a RAR archive", "unpack it with `unrar x FILE`"),
    (257, b"ustar", "a tar archive", "unpack it with `tar xf FILE`"),
    (
        0,
        b"\x93NUMPY",
        "a NumPy array (.npy)",
        "build from it in Python: outcrop.build takes arrays of sources and targets",
    ),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", EXPORT),
    (0, b"ORC", "an ORC file", EXPORT),
    (0, b"Obj\x01", "an Avro file", EXPORT),
    (0, b"FEA1", "a Feather file of version 1", "write it as Parquet or as Feather of version 2"),
    (0, b"SQLite format 3\0", "an SQLite database", EXPORT),
    (8, b"DUCK", "a DuckDB database", EXPORT),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (.xls)", "save the sheet as CSV"),
    (0, b"MATLAB 5.0 MAT-file", "a MATLAB file", EXPORT),
    (0, b"RDX3\n", "an R data file", EXPORT),
    (0, b"X\n\0\0\0", "an R data file (.rds)", EXPORT),
    (0, b"RDX2\n", "an R data file", EXPORT),
    (0, b"%PDF-", "a PDF document", EXPORT),
    (0, b"\x7fELF", "a program", "pass an edge file"),
];

/// Returns the unsupported format that these first bytes belong to.
pub(crate) fn packed(head: &[u8]) -> Option<Foreign> {
    let behind = |at: usize| head.get(at..).unwrap_or(&[]);
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Some(archive(head));
    }
    if head.starts_with(b"BZh") && !behind(3).first().is_some_and(|level| (b'1'..=b'9').contains(level)) {
        return None;
    }
    // ID words may start with these bytes; files of the format also contain bytes that texts do not have.
    let word = |bytes: &[u8]| bytes.iter().all(|byte| byte.is_ascii_graphic()) && bytes.len() < 8;
    let binary = head.iter().any(|byte| *byte == 0 || *byte >= 0x80);
    let signature =
        SIGNATURES.iter().find(|(at, bytes, ..)| behind(*at).starts_with(bytes) && (binary || !word(bytes)));
    if let Some((_, _, name, advice)) = signature {
        return Some(Foreign { name, advice });
    }
    if let [0x80, 2..=5, rest @ ..] = head
        && rest.first().is_some_and(|opcode| b"}](c\x95XK\x8cN".contains(opcode))
    {
        return Some(Foreign {
            name: "a Python pickle",
            advice: "load it in Python and build from its edges: outcrop.build takes graphs, arrays and tables",
        });
    }
    wide_text(head)
}

/// Detects a text that was compressed twice.
pub(crate) fn packed_twice(head: &[u8]) -> Option<Foreign> {
    let packed = head.starts_with(b"\x1f\x8b") || head.starts_with(b"\x28\xb5\x2f\xfd");
    packed.then_some(Foreign {
        name: "a compressed file inside a compressed file",
        advice: "unpack it once, for example with `gunzip FILE`",
    })
}

/// Returns the format of a zip archive; several formats are zip archives.
fn archive(head: &[u8]) -> Foreign {
    let contains = |text: &[u8]| head.windows(text.len()).any(|window| window == text);
    let names = head.get(30..).unwrap_or(&[]);
    if contains(b"[Content_Types].xml") || contains(b"xl/") || contains(b"_rels/") {
        return Foreign { name: "an Excel workbook (.xlsx)", advice: "save the sheet as CSV" };
    }
    if contains(b".npy") {
        let advice = "build from it in Python: outcrop.build takes arrays and SciPy matrices";
        return Foreign { name: "a NumPy archive (.npz)", advice };
    }
    if names.starts_with(b"mimetype") {
        return Foreign { name: "an OpenDocument file", advice: "save the sheet as CSV" };
    }
    Foreign { name: "a zip archive", advice: "unpack it with `unzip FILE`" }
}

/// Detects text of two or four bytes per character, with or without a byte order mark.
fn wide_text(head: &[u8]) -> Option<Foreign> {
    if head.starts_with(b"\xff\xfe\0\0") || head.starts_with(b"\0\0\xfe\xff") {
        return Some(UTF32);
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Some(UTF16);
    }
    let start = head.get(..head.len().min(64) & !3).filter(|start| start.len() >= 8)?;
    let zeros = |step: usize, at: usize| start.iter().skip(at).step_by(step).all(|byte| *byte == 0);
    // Small binary integers also have zeros between other bytes, but those are not text characters.
    let text = |byte: &u8| byte.is_ascii_graphic() || b" \t\r\n".contains(byte);
    let signs = |step: usize, at: usize| start.iter().skip(at).step_by(step).all(text);
    match () {
        () if signs(4, 0) && (1..4).all(|at| zeros(4, at)) => Some(UTF32),
        () if signs(4, 3) && (0..3).all(|at| zeros(4, at)) => Some(UTF32),
        () if signs(2, 0) && zeros(2, 1) || signs(2, 1) && zeros(2, 0) => Some(UTF16),
        () => None,
    }
}

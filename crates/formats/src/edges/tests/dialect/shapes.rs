//! Files of every known kind, read or refused by name; and unusual edge lists that are read.

use super::*;

/// Content, and a part of the error message.
const REFUSED: &[(&[u8], &str)] = &[
    (b"0 1 2 3\n1 2 3\n2 3 0\n3 0 1\n", "different numbers of fields"),
    (b"a b c\nb d\nc\nd\n", "different numbers of fields"),
    (b"a;b;c;d\nb;c\nc;d;a\nd;a\n", "different numbers of fields"),
    (b"1\t2\t3\t4\n1\t5\n6\t7\t8\n", "different numbers of fields"),
    (b"1: 2 3\n2: 3\n", "an adjacency list with a colon after each vertex"),
    (b"1 2\n2 {}\n3 {}\n2 1\n3 {}\n", "multiline adjacency list"),
    (b"New York Lima {'km': 3}\n", "Python dict"),
    (b"(1, 2)\n(2, 3)\n", "Python tuples"),
    (b"('a', 'b'),\n('b', 'c'),\n", "Python tuples"),
    (b"[1, 2]\n[2, 3]\n", "lists of JSON"),
    (b"{\"nodes\": [], \"links\": []}\n", "a graph in JSON"),
    (b"{\"source\": 1, \"target\": 2}\n{\"source\": 2, \"target\": 3}\n", "JSON"),
    (b"3 2\n2\n1 3\n2\n", "METIS"),
    (b"4 4\n2 4\n1 3\n2 4\n1 3\n", "METIS"),
    (b"4 4 3\n1 2\n2 3\n3 4\n", "Matrix Market"),
    (b"4 4 3\n1 2 0.5\n2 3 0.25\n3 4 1\n", "Matrix Market"),
    (b"3 2\n1 2 5\n2 3 6\n", "numbers of vertices and edges"),
    (b";A;B;C\nA;0;1;0\nB;1;0;1\nC;0;1;0\n", "a matrix with labels"),
    (b"A B C\nA 0 1 0\nB 1 0 1\nC 0 1 0\n", "a matrix with labels"),
    (b"0 1 0\n1 0 1\n0 1 0\n", "a matrix"),
    (b"0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n", "a matrix"),
    (b"1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n", "a matrix"),
    (b"t # 0\nv 0 6\nv 1 8\ne 0 1 2\n", "gSpan"),
    (b"t 3 2\nv 0 1 1\nv 1 1 2\nv 2 1 1\ne 0 1\ne 1 2\n", "gSpan"),
    (b"e 1 2\ne 2 3\n", "same letter"),
    (b"1 First\n2 Second\n#\n1 2 an edge\n", "TGF"),
    (b"<http://x/a> <http://x/k> <http://x/b> .\n", "N-Triples"),
    (b"@prefix x: <http://x/> .\nx:a x:b x:c .\n", "Turtle"),
    (b"TP53\tpp\tMDM2\nMDM2\tpp\tMDM4\n", "SIF"),
    (b"A cuts B\nB cuts C\nC binds A\nC cuts D\n", "SIF"),
    (b"a -> b\nb -> c\n", "arrow, dash or bar"),
    (b"1 & 2 \\\\\n2 & 3 \\\\\n", "arrow, dash or bar"),
    (b"a\tb,c,d\nb\tc\nc\ta,b\n", "several IDs (`b,c,d`)"),
    (b"a,b;c;d\nb,c\nc,a;b\n", "several IDs (`b;c;d`)"),
    (b"1 2,3,4\n2 3\n3 1,2\n", "several IDs (`2,3,4`)"),
    (b"1\t[2, 3]\n2\t[3]\n", "a field with several IDs ("),
    (b"{1, 2}\n{2, 3}\n", "bracket"),
    (b"<a b>\n<b c>\n", "bracket"),
    (b"(1 2)\n(2 3)\n", "bracket"),
    (b"edge(a, b).\nedge(b, c).\n", "bracket"),
    (b"G.add_edge(1, 2)\nG.add_edge(2, 3)\n", "bracket"),
    (b"(0, 0) (0, 1) {}\n(0, 0) (1, 0) {}\n", "bracket"),
    (b"(0, 0),(0, 1),{}\n(0, 0),(1, 0),{}\n", "bracket"),
    (b"alice,likes,bob\nbob,likes,carol\ncarol,hates,alice\n", "relations"),
    (b"/m/1\t/a/b\t/m/2\n/m/2\t/c/d\t/m/3\n", "relations"),
    (b"# a\nb 0.5\nc 0.7\n# b\nc 1.5\n", "LGL"),
    (b"c x\np cnf 3 2\n1 -3 0\n2 3 -1 0\n", "p cnf"),
    (b"| a | b |\n|---|---|\n| x | y |\n", "lines of dashes"),
    (b" src | dst \n-----+-----\n a | b\n", "lines of dashes"),
    (b"CREATE (a:P {name: \"x\"})\nCREATE (a)-[:K]->(b)\n", "Cypher"),
    (b"     [,1] [,2]\n[1,]    1    2\n[2,]    2    3\n", "printed by R"),
    (b"- source: a\n  target: b\n", "YAML"),
    (b"1::2::5\n2::3::4\n", "two colons"),
    (b"vertex,neighbors\n1,\"2,3\"\n2,3\n", "several IDs (`2,3`)"),
    (b"Edge a b\nEdge b c\n", "the same word at the beginning of all lines (`Edge`)"),
    (b"source=a target=b\nsource=b target=c\n", "fields with names"),
    (b"2024-01-01 10:11:22 1 2\n2024-01-02 10:11:22 2 3\n", "a time in place of an endpoint"),
    (b"digraph G {\n a -> b;\n}\n", "DOT"),
    (b"/* c */\nstrict graph {\n a -- b;\n}\n", "DOT"),
    (b"<?xml version=\"1.0\"?>\n<graphml>\n</graphml>\n", "GraphML"),
    (b"<gexf>\n</gexf>\n", "GEXF"),
    (b"graph [\n node [ id 1 ]\n]\n", "GML"),
    (b"Creator \"x\"\ngraph\n[\n node [ id 1 ]\n]\n", "GML"),
    (b"@nodes\nlabel\n1\n@arcs\n", "LGF"),
    (b"dl n=3 format=edgelist1\ndata:\n1 2\n", "DL file"),
    (b"*node data\nid x\na 1\n", "VNA"),
    (b"nodedef>name VARCHAR\na\nedgedef>a,b\n", "GDF"),
    (b">>graph6<<A_\n", "graph6"),
    (b"<!DOCTYPE html>\n<html>404</html>\n", "an HTML page"),
    (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS"),
    (b"BZh91AY&SY\0\0", "bzip2"),
    (b"\xfd7zXZ\0\0", "xz"),
    (b"\x04\x22\x4d\x18\x40", "lz4"),
    (b"7z\xbc\xaf\x27\x1c\0", "7z"),
    (b"Rar!\x1a\x07\0", "RAR"),
    (b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0e.csv", "zip archive"),
    (b"\x93NUMPY\x01\0", "NumPy array"),
    (b"\x80\x04\x95\x10\0", "pickle"),
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"ORC\x08\0", "ORC"),
    (b"Obj\x01\x04", "Avro"),
    (b"SQLite format 3\0", "SQLite"),
    (b"\xff\xfe1\0 \x002\0\n\0", "UTF-16"),
    (b"\xfe\xff\x001\0 \x002\0\n", "UTF-16"),
    (b"1\0 \x002\0\n\x002\0 \x003\0\n\0", "UTF-16"),
    (b"\xff\xfe\0\x001\0\0\0", "UTF-32"),
    (b"New York, NY;Boston, MA\nLima, PE;Bonn, DE\n", "can separate the fields; use --separator"),
    (b"label,p,q\nroad,12,15\nroad,15,20\n", "--source-column"),
    (b"u,v,key,from,to\n1,2,0,1,2\n", "--source-column"),
];

#[test]
fn known_formats_are_refused_by_name() {
    for (text, expected) in REFUSED {
        let shown = String::from_utf8_lossy(text);
        for (name, text) in
            [("x.txt", text.to_vec()), ("x.csv", text.to_vec()), ("x.txt.gz", gz(text)), ("x.zst", zst(text))]
        {
            let error = edges_of(name, &text, &auto()).expect_err(&shown);
            assert_eq!(error.exit_code(), 3, "{shown}: {error}");
            assert!(error.to_string().contains(expected), "{shown}: {error}");
        }
    }
    let mut tar = vec![0; 512];
    tar[..5].copy_from_slice(b"a.csv");
    tar[257..262].copy_from_slice(b"ustar");
    for (name, bytes) in [("x.tar", tar.clone()), ("x.tgz", gz(&tar))] {
        assert!(edges_of(name, &bytes, &auto()).unwrap_err().to_string().contains("tar archive"), "{name}");
    }
}

#[test]
fn a_text_is_an_edge_list_where_it_is_called_so() {
    let named = EdgeListOptions { format: Some(EdgeFormat::EdgeList), ..auto() };
    for (text, expected) in [
        ("e 1 2\ne 2 3\n", "e-1 e-2"),
        ("0 1 2 3\n1 2 3\n", "0-1 1-2"),
        ("TP53 pp MDM2\n", "TP53-pp"),
        ("4 4 3\n1 2\n2 3\n3 4\n", "4-4 1-2 2-3 3-4"),
    ] {
        assert_eq!(edges_of("x.txt", text.as_bytes(), &named).unwrap(), expected);
    }
}

/// Name, content, edges.
const READ: &[(&str, &str, &str)] = &[
    ("x.csv", "1;2;0,5\n2;3;1,25\n3;1;2,0\n", "1-2 2-3 3-1"),
    ("x.csv", "edge_id,from_node,to_node\n1,12,15\n2,15,20\n", "12-15 15-20"),
    ("x.csv", "type,from_id,to_id\nroad,12,15\nroad,15,20\n", "12-15 15-20"),
    ("x.csv", ",user,item\n0,12,15\n1,15,20\n", "12-15 15-20"),
    ("x.csv", "Unnamed: 0,source,target,weight\n0,12,15,0.5\n", "12-15"),
    ("x.txt", "\"from\" \"to\"\n\"1\" 12 15\n\"2\" 15 20\n", "12-15 15-20"),
    ("x.csv", "when,a,b\n2020,1,2\n2021,2,3\n", "1-2 2-3"),
    ("x.csv", ":START_ID,:END_ID,:TYPE\na,b,KNOWS\nb,c,KNOWS\n", "a-b b-c"),
    ("x.csv", "follower,followee\nanna,bob\nbob,carl\n", "anna-bob bob-carl"),
    ("x.tsv", "head\trelation\ttail\nA\tr\tB\nB\tr\tC\n", "A-B B-C"),
    ("x.csv", "source,relation,target\nA,binds,B\nB,binds,C\n", "A-B B-C"),
    ("x.csv", "Quelle;Ziel;Gewicht\n1;2;0,5\n2;3;1,25\n", "1-2 2-3"),
    ("x.csv", "source,target,type,since,label,weight\n1,2,a,2001,x y,0.5\n", "1-2"),
    ("x.txt", "1 2 {'weight': 3, 'a b': 1}\n2 3 {}\n", "1-2 2-3"),
    ("x.txt", "1,2,{'weight': 3, 'x': 4}\n2,3,{}\n", "1-2 2-3"),
    ("x.txt", "a,b,{'weight': 3}\nb,c,{'weight': 4, 'x': 1}\n", "a-b b-c"),
    ("x.csv", "from_address,to_address\n0xab,0xcd\n0xcd,0xee\n", "0xab-0xcd 0xcd-0xee"),
    ("x.csv", "ip_src,port,ip_dst\n10.0.0.1,80,10.0.0.2\n", "10.0.0.1-10.0.0.2"),
    ("x.csv", "user,item,rating\n1,10,5\n2,10,3\n", "1-10 2-10"),
    ("x.csv", "#src,dst,w\na,b,0.5\nb,c,1\n", "a-b b-c"),
    ("x.txt", "# weight target source\n5 1 2\n7 2 3\n", "2-1 3-2"),
    ("x.csv", "sep=;\na;b\nc;d\n", "a-b c-d"),
    ("x.txt", "  V1 V2\n1  a  b\n2  b  c\n", "a-b b-c"),
    ("x.tsv", "#score\tnode1\tnode2\n5\tA\tB\n7\tB\tC\n", "A-B B-C"),
    ("x.csv", "\"sep=;\"\nsource;target;km\na;b;0,5\n", "a-b"),
    ("x.csv", "source,target\n1,2\nsource,target\n3,4\n", "1-2 3-4"),
    ("x.csv", "node1,node2\nnode2,node3\n", "node1-node2 node2-node3"),
    ("x.csv", "node1,node2\nnode3,node4\n", "node1-node2 node3-node4"),
    ("x.txt", "1 2 New York, NY\n2 3 Lima, PE\n", "1-2 2-3"),
    ("x.txt", "New York, NY\tBoston, MA\nLima, PE\tBonn, DE\n", "New York, NY-Boston, MA Lima, PE-Bonn, DE"),
    ("x.txt", "1 2 friend of mine\n2 3 foe\n", "1-2 2-3"),
    ("x.txt", "1 2\n2 3 0.5\n1 4\n", "1-2 2-3 1-4"),
    ("x.txt", "e t\nt v\nv e\n", "e-t t-v v-e"),
    ("x.txt", "t v\nv e\ne t\n", "t-v v-e e-t"),
    ("x.txt", "p q\nc p\n", "p-q c-p"),
    ("x.txt", "graph theory\ntheory node\n", "graph-theory theory-node"),
    ("x.txt", "from to\nto from\n", "from-to to-from"),
    ("x.txt", "7 8\n", "7-8"),
    ("x.txt", "0 1\n1 0\n", "0-1 1-0"),
    ("x.txt", "3 2\n1 2\n2 3\n", "3-2 1-2 2-3"),
    ("x.txt", "1 2 5\n2 3 1\n1 3 2\n", "1-2 2-3 1-3"),
    ("x.csv", "1,2,3\n2,4,1\n3,4,9\n", "1-2 2-4 3-4"),
    ("x.txt", "1 2 1 1082040961\n3 4 1 1082155839\n5 6 1 1082155840\n7 8 1 1082155899\n", "1-2 3-4 5-6 7-8"),
    ("x.csv", "[deleted],bob\nbob,[deleted]\n", "[deleted]-bob bob-[deleted]"),
    ("x.txt", "[1] [2]\n[2] [3]\n", "[1]-[2] [2]-[3]"),
    ("x.csv", "BZh9,LZIP\nORC,PK\n", "BZh9-LZIP ORC-PK"),
    ("x.txt", "# a\n#\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n", "0-1 1-2"),
    (
        "x.txt",
        "http://a.org/x http://b.org/\nhttp://b.org/ http://a.org/x\n",
        "http://a.org/x-http://b.org/ http://b.org/-http://a.org/x",
    ),
    ("x.txt", "c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 1 3\n", "1-2 2-3 1-3"),
    ("x.max", "p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 5\n", "1-2 2-3"),
    ("x.min", "c x\np min 3 2\nn 1 5\na 1 2 0 4 3\na 2 3 0 4 3\n", "1-2 2-3"),
    ("x.asn", "p asn 4 2\nn 1\nn 2\na 1 3 5\na 2 4 5\n", "1-3 2-4"),
    ("x.txt", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n", "1-2 2-3"),
    ("x.txt", "*Vertices 3\n*Edges :1\n1 2\n2 3\n", "1-2 2-3"),
    ("x.net", "*Vertices 4\n1 \"New York\" 0.1 0.2\n2 \"b\"\n*Arcs\n1 2 2.5\n*Edges\n3 4\n", "1-2 3-4 4-3"),
    ("x.net", "% c\r\n*Vertices 4\r\n*Arcslist\r\n1 2 3\r\n2 4\r\n", "1-2 1-3 2-4"),
    ("x.adjlist", "# networkx\n0 1 2\n1 2\n2\n", "0-1 0-2 1-2"),
    ("x.adjlist", "anna bob carl\nbob carl\ncarl\n", "anna-bob anna-carl bob-carl"),
];

#[test]
fn lists_and_formats_of_every_ordinary_kind_are_read() {
    for (name, text, expected) in READ {
        let found = edges_of(name, text.as_bytes(), &auto()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(found, *expected, "{text:?}");
        let packed = edges_of(&format!("{name}.gz"), &gz(text.as_bytes()), &auto()).unwrap();
        assert_eq!(packed, *expected, "{text:?}");
    }
}

#[test]
fn decimal_commas_are_weights() {
    let weighted = EdgeListOptions { weighted: true, ..auto() };
    for text in ["1;2;0,5\n2;3;1,25\n", "1 2 0,5\n2 3 1,25\n", "u\tv\tw\n1\t2\t0,5\n2\t3\t1,25\n"] {
        let weights = read(text, &weighted).unwrap().weights;
        assert_eq!(weights, [0.5f64, 1.25].map(f64::to_bits), "{text:?}");
    }
    for bad in ["1;2;0,5\n2;3;1.25\n", "1\t2\t1,500\n2\t3\t2,500\n", "1;2;0,5\n2;3;1,2,5\n"] {
        assert_eq!(read(bad, &weighted).unwrap_err().exit_code(), 3, "{bad:?}");
    }
    let late = format!("{}1;2;0.25\n", "1;2;0,5\n".repeat(1500));
    assert!(read(&late, &weighted).unwrap_err().to_string().contains("x.txt:1501:5: found `0.25`"));
}

#[test]
fn weights_that_formats_do_not_state_are_refused() {
    let weighted = EdgeListOptions { weighted: true, ..auto() };
    for (name, text) in [
        ("x.txt", "1 2 {'weight': 3}\n2 3 {'weight': 4}\n"),
        ("x.adjlist", "1 2 3\n2 3\n"),
        ("x.min", "p min 2 1\na 1 2 0 4 3\n"),
        ("x.net", "*Vertices 2\n*Arcs\n1 2 x\n"),
    ] {
        assert_eq!(read_named(name, text.as_bytes(), &weighted).unwrap_err().exit_code(), 3, "{text:?}");
    }
    let found = read_named("x.net", b"*Vertices 3\n*Arcs\n1 2 2.5\n2 3\n", &weighted).unwrap();
    assert_eq!(found.weights, [2.5f64, 1.0].map(f64::to_bits));
}

/// Found by fuzzing: the first word of the file was not checked, and the store could not be read; a form feed became an
/// empty ID.
#[test]
fn adjacency_lists_with_strings_that_are_no_ids_are_refused_at_their_place() {
    let [commas, tabs] = [',', '\t'].map(|sign| EdgeListOptions { separator: Separator::Char(sign), ..auto() });
    for (options, text, expected) in [
        (&auto(), &b"\x89a b\nb c\n"[..], "x.adjlist:1:1: found the ID \"\u{fffd}a\", expected UTF-8"),
        (&auto(), b"a b\nb \x89\n", "x.adjlist:2:3"),
        (&auto(), b"a b\n\x0c c\n", "x.adjlist:2:1: found an empty ID"),
        (&commas, b"a,b\rc\n", "x.adjlist:1:4: found a carriage return inside a line"),
        (&auto(), b"1 2 3\r4 5\r", "x.adjlist:1:6: found a carriage return inside a line"),
        (&auto(), b"# a\r1 2\n2 3\n", "x.adjlist:1:4: found a carriage return inside a line"),
        (&commas, b"a,b\n,d,e\n", "x.adjlist:2:1: found an empty field"),
        (&commas, b"a,,c\n", "x.adjlist:1:3: found an empty field"),
        (&commas, b"a,c,\n", "x.adjlist:1:5: found an empty field"),
        (&commas, b"1,2, \r\n", "x.adjlist:1:7: found an empty field"),
        (&tabs, b"1\t2\n\t4\t5\n", "x.adjlist:2:1: found an empty field"),
    ] {
        let error = read_named("x.adjlist", text, options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn networks_and_adjacency_lists_are_refused_at_their_place() {
    for (name, text, expected) in [
        ("x.net", "*Vertices 2\n*Arcs\n1 3\n", "x.net:3:3: found `3`, expected an integer from 1 to 2"),
        ("x.net", "*Vertices 2\n*Arcs\n1\n", "expected two"),
        ("x.net", "*Vertices 2\n*Matrix\n0 1\n1 0\n", "x.net:2:1: found the section `*Matrix`"),
        (
            "x.net",
            "*Vertices 2\n*Edges\n1 2\n*Arcs\n1 2\n",
            "found both arcs and edges; use --directed or --undirected",
        ),
        ("x.net", "1 2\n", "expected `*Vertices N`"),
        ("x.net", "*Vertices 3 *Arcs 1 2\n", "x.net:1:13: found `*Arcs`, expected an integer from 0 to 3"),
        ("x.net", "*Vertices 3 1 2\n", "x.net:1:15: found `2`, expected the end of the line"),
        ("x.net", "*Vertices 3\r*Arcs\r1 2\r", "x.net:1:12: found a carriage return inside a line"),
        ("x.net", "*Vertices 3\n*Arcslist\n1 2\r2 3\n", "x.net:3:4: found a carriage return inside a line"),
        ("x.graph", "3 2\n2\n1\r3\n2\n", "x.graph:3:2: found a carriage return inside a line"),
        ("x.adjlist", "1 2 3\n2 x\n", "x.adjlist:2:3: found `x`"),
        ("x.adjlist", "1 2\0 3\n", "NUL"),
    ] {
        let error = edges_of(name, text.as_bytes(), &auto()).unwrap_err();
        assert_eq!(error.exit_code(), 3, "{text:?}");
        assert!(error.to_string().contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn doubts_are_noted_with_their_line() {
    for (name, text, expected) in [
        ("x.txt", "# c\n3 2\n1 2\n2 3\n", "line 2 (`3 2`) was read as an edge"),
        ("x.txt", "1 2\n2 3\n\n3 4 x\n", "line 1 has 2, line 4 has 3"),
        ("x.txt", "0,12,15\n1,15,20\n2,20,22\n", "field 1 counts the lines (`0`, `1`, ...)"),
        ("x.csv", "p,q\n1,2\n", "column 1 (\"p\") was read as the source"),
        (
            "x.csv",
            "when,a,b\n2020,1,2\n",
            "columns \"a\" and \"b\" were read as source and target because of their names",
        ),
        ("x.txt", "1 2 {'weight': 3}\n", "data in braces"),
        ("x.adjlist", "1 2\n2\n", "1 line has a vertex without neighbors"),
        ("x.csv", "gene1,gene2\nTP53,MDM2\nMDM2,CDK1\n", "line 1 (`gene1,gene2`) was read as a header"),
        (
            "x.csv",
            "P1,P2\nTP53,MDM2\n",
            "was read as a header, because none of its names is an ID; if it is an edge, use --header no",
        ),
        ("x.txt", "X_a X_b\nfoo bar\nbar baz\n", "was read as a header"),
        ("x.csv", "Name,Manager\nalice,bob\nbob,carol\n", "was read as a header"),
        ("x.csv", "kol,sat\nfoo,bar\nbar,baz\n", "line 1 (`kol,sat`) was read as an edge; if it contains column names"),
        (
            "x.csv",
            "kol,sat\nTP53,MDM2\nCDK1,AKT2\n",
            "was read as an edge; if it contains column names, use --header yes",
        ),
        ("x.csv", "author,paper\n1,1\n2,1\n", "suggest two types of vertices"),
        ("x.txt", "alice likes bob\n", "field 2 (`likes`) was read as the target"),
        ("x.txt", "1 knows 2\n2 knows 3\n", "field 2 (`knows`) was read as the target"),
        ("x.txt", "a\tb,c\nd\te,f\n", "field 2 (`b,c`) was read as one ID; if it lists neighbors"),
        ("x.txt", "# source target km\n1 2 5\n", "field 3 (`5`) was not read"),
        ("x.csv", "source,target,weight\na,b,high\nb,c,low\n", "column \"weight\" was not read"),
        ("x.txt", "b 0.5\nc 0.7\n", "field 2 (`0.5`) is a decimal number"),
        ("x.txt", "anna bob friend\nbob anna foe\n", "field 3 (`friend`) was not read"),
        ("x.txt", "1 2 3 4\n2 3 4 5\n", "fields 3 (`3`), 4 (`4`) were not read; use --weighted to read field 3"),
        ("x.txt", "1 2 2024-01-01 10:11:22\n", "field 3 (`2024-01-01 10:11:22`) was not read; use --timed"),
        ("x.csv", "source,target,weight\na,b,1\nb,c,NA\n", "column \"weight\" was not read"),
        (
            "x.csv",
            "source,target\na,b\n#b,c\n#c,d\n",
            "2 lines after the first edge were skipped as comments, the first at x.csv:3",
        ),
        ("x.csv", "1,2\n#3,4\n2,3\n", "1 line after the first edge was skipped as a comment"),
        ("x.csv", "src,dst\na,b\nsrc,dst\nb,c\n", "1 line that repeats the header was skipped, the first at x.csv:3"),
        ("x.txt", "# dst src\n1 2\n", "line 1 (`# dst src`) was read as column names"),
        ("x.txt", "# Nodes: 4 Edges: 3\n0\t1\n1\t2\n", "states 3 edges, but the file has 2"),
    ] {
        let notes = notes_of(name, text);
        assert!(notes.iter().any(|note| note.contains(expected)), "{text:?}: {notes:?}");
    }
}

#[test]
fn ordinary_lists_have_no_notes() {
    let snap = "# Directed graph (each unordered pair of nodes is saved once): x.txt\n# Nodes: 4 Edges: 2\n# FromNodeId\tToNodeId\n";
    for text in [
        &format!("{snap}30\t1412\n30\t9\n"),
        "% asym unweighted\n1 2\n2 3\n",
        "0,1\n1,2\n2,0\n",
        "1 2\n# prose\n2 3\n",
        "anna bob\nbob carl\ncarl anna\n",
        "alice,bob\ncarol,dave\neve,frank\n",
        "a,b\nc,d\n",
        "a1,a2\na3,a4\na5,a6\n",
        "source,target\na,b\nb,c\n",
        "New York\tNew Jersey\nBoston\tNew York\n",
        "http://a http://b\nhttp://b http://c\n",
    ] {
        assert_eq!(notes_of("x.txt", text), [""; 0], "{text:?}");
    }
}

#[test]
fn a_time_of_day_behind_a_date_belongs_to_it() {
    let options = EdgeListOptions { timed: true, ..auto() };
    for (time, expected) in [
        ("2024-01-01", 0),
        ("2024-01-01 10:11:22", 36_682_000_000),
        ("2024/01/01  10:11", 36_660_000_000),
        ("2024-01-01 10:11:22.5 +01:00", 33_082_500_000),
        ("2024-01-01 10:11:22 PM", 79_882_000_000),
    ] {
        for header in ["", "source target time\n"] {
            let text = format!("{header}1 2 {time}\n2 3 {time}\n");
            let mut source = open_text("x.txt", text.as_bytes(), &options, BlockSizes::usual()).unwrap();
            let mut batch = EdgeBatch::empty(IdKind::Integer);
            assert!(source.next_batch(&mut batch).unwrap());
            assert_eq!(batch.times, [1_704_067_200_000_000 + expected; 2], "{text}");
        }
    }
}

#[test]
fn a_header_longer_than_a_block_is_read_whole() {
    let filler: String = (0..20_000).map(|place| format!("column{place},")).collect();
    let text = format!("{filler}source,target\n{}7,8\n", "1,".repeat(20_000));
    let options = EdgeListOptions {
        columns: ColumnNames {
            source: Some("target".to_owned()),
            target: Some("source".to_owned()),
            ..ColumnNames::default()
        },
        ..auto()
    };
    let mut source = open_text("x.csv", text.as_bytes(), &options, BlockSizes::usual()).unwrap();
    assert_eq!(drain(&mut source).unwrap().edges, edges(&[("8", "7")]));
}

#[test]
fn signs_within_fields_do_not_move_the_ends() {
    let pairs = |text: &str, name: &str| read_named(name, text.as_bytes(), &auto()).map(|found| found.edges);
    let refused = |text: &str, name: &str, part: &str| {
        let message = pairs(text, name).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    };
    refused("source,target,note\n1,2,hello, world\n2,3,bye, all\n", "n.csv", "found 3 names in line 1, but 4 fields");
    refused("source,target,weight\n0,1,0,5\n1,2,0,5\n", "n.csv", "4 fields in the lines below");
    refused("\"New York LA\n\"Los Angeles\" \"SF\"\n", "n.txt", "begins with a quote but does not end with one");
    let trailing = pairs("source,target\n1,2,\n2,3,\n", "n.csv").unwrap();
    assert_eq!(trailing, edges(&[("1", "2"), ("2", "3")]));
    assert_eq!(pairs("gi|1|a\tgi|2|b\ngi|2|b\tgi|3|c\n", "n.txt").unwrap()[0], edges(&[("gi|1|a", "gi|2|b")])[0]);
    assert_eq!(pairs("n0 n1 0,5\nn1 n2 1,5\n", "n.txt").unwrap(), edges(&[("n0", "n1"), ("n1", "n2")]));
    for names in [",u,v", ",a,b", ",0,1"] {
        let found = pairs(&format!("{names}\n0,A,B\n1,B,C\n"), "n.csv").unwrap();
        assert_eq!(found, edges(&[("A", "B"), ("B", "C")]), "{names}");
    }
    let stray = "a b\tc d\n\"Weird Al\" Yankovic\tUHF\n";
    refused(stray, "n.tsv", "quoted field");
}

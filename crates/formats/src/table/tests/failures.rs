use super::*;

/// Writer that accepts a limited number of bytes and then fails as if the disk were full.
struct Full {
    room: usize,
    taken: Arc<Mutex<usize>>,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room);
        if fits == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= fits;
        *self.taken.lock().unwrap() += fits;
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the table to `path` through a disk with limited space; returns the result and the number of bytes written.
fn write_on_full_disk(path: &Path, format: TableFormat, room: usize) -> (Result<()>, usize) {
    let taken = Arc::new(Mutex::new(0));
    let batch = distances();
    let target = PendingFile::create(path, true).unwrap();
    let output = Output::new(Box::new(Full { room, taken: taken.clone() }), path.into()).unwrap();
    let written = encoder(output, format, path, batch.schema_ref(), 3).and_then(|encoder| {
        let mut writer =
            TableWriter { target: Some(target), ..TableWriter::new(encoder, path.into(), batch.schema_ref()) };
        writer.write(&batch)?;
        writer.finish()
    });
    let taken = *taken.lock().unwrap();
    (written, taken)
}

#[test]
fn a_disk_that_fills_at_any_byte_leaves_the_old_file_alone() {
    let folder = TempDir::new().unwrap();
    for format in TableFormat::ALL {
        let path = folder.path().join("table").with_extension(format.extension());
        let (written, length) = write_on_full_disk(&path, format, usize::MAX);
        written.unwrap();
        fs::write(&path, b"old").unwrap();
        for room in 0..length {
            let (written, _) = write_on_full_disk(&path, format, room);
            assert!(matches!(written, Err(Error::DiskFull { .. })), "{format:?} {room} {written:?}");
            assert_eq!((fs::read(&path).unwrap(), names_in(&folder).len()), (b"old".to_vec(), 1));
        }
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn dropping_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    for format in TableFormat::ALL {
        let batch = distances();
        let mut writer = TableWriter::create(&folder.path().join("x"), format, batch.schema_ref(), 3, false).unwrap();
        writer.write(&batch).unwrap();
        drop(writer);
        assert!(names_in(&folder).is_empty());
    }
}

#[test]
fn an_existing_file_stays_unless_it_is_to_be_replaced() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.csv");
    fs::write(&path, b"old").unwrap();
    let refused = TableWriter::create(&path, TableFormat::Csv, distances().schema_ref(), 3, false);
    assert!(matches!(refused, Err(Error::AlreadyExists { .. })));
    assert_eq!((fs::read(&path).unwrap(), names_in(&folder).len()), (b"old".to_vec(), 1));
    write_file(&path, TableFormat::Csv, &[distances()], true).unwrap();
    assert!(fs::read(&path).unwrap().starts_with(b"node"));
    assert_eq!(names_in(&folder).len(), 1);
}

#[test]
fn a_file_that_appears_meanwhile_stays() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.csv");
    let mut writer = TableWriter::create(&path, TableFormat::Csv, distances().schema_ref(), 3, false).unwrap();
    writer.write(&distances()).unwrap();
    fs::write(&path, b"other").unwrap();
    assert!(matches!(writer.finish(), Err(Error::AlreadyExists { .. })));
    assert_eq!((fs::read(&path).unwrap(), names_in(&folder).len()), (b"other".to_vec(), 1));
}

#[test]
fn impossible_targets_are_refused() {
    let folder = TempDir::new().unwrap();
    let create = |path: &Path| TableWriter::create(path, TableFormat::Csv, distances().schema_ref(), 3, true);
    assert!(matches!(create(&folder.path().join("absent/x.csv")), Err(Error::NotFound { .. })));
    assert!(matches!(create(folder.path()), Err(Error::Usage(_))));
    assert!(matches!(create(Path::new("..")), Err(Error::Usage(_))));
    fs::write(folder.path().join("file"), b"").unwrap();
    assert!(matches!(create(&folder.path().join("file/x.csv")), Err(Error::Io { .. })));
}

#[test]
fn a_wrong_number_of_rows_is_an_error() {
    let folder = TempDir::new().unwrap();
    for (promised, batches) in [(2, 1), (4, 1), (3, 0), (3, 2)] {
        let path = folder.path().join("x.npy");
        let mut writer =
            TableWriter::create(&path, TableFormat::Npy, distances().schema_ref(), promised, false).unwrap();
        let written = (0..batches).try_for_each(|_| writer.write(&distances())).and_then(|()| writer.finish());
        assert!(matches!(written, Err(Error::Internal { .. })));
        assert!(names_in(&folder).is_empty());
    }
}

#[test]
fn after_a_failure_the_table_cannot_be_finished() {
    let folder = TempDir::new().unwrap();
    let mut writer =
        TableWriter::create(&folder.path().join("x"), TableFormat::Csv, distances().schema_ref(), 3, false).unwrap();
    assert!(matches!(writer.write(&distances().project(&[0]).unwrap()), Err(Error::Internal { .. })));
    assert!(matches!(writer.write(&distances()), Err(Error::Io { .. })));
    assert!(writer.finish().is_err() && names_in(&folder).is_empty());
}

#[test]
fn batches_of_other_columns_are_refused() {
    let accepts = |schema: &Schema, batch: &RecordBatch| {
        TableWriter::to_stream(Box::new(io::sink()), TableFormat::Csv, schema).unwrap().write(batch).is_ok()
    };
    let one = |name: &str, values: ArrayRef| table(vec![(name, values, true)]);
    let counts = one("count", array(UInt32Array::from(vec![None, Some(1)])));
    let strict = Schema::new(vec![Field::new("count", DataType::UInt32, false)]);
    assert!(accepts(counts.schema_ref(), &counts) && accepts(&strict, &counts.slice(1, 1)));
    assert!(!accepts(&strict, &counts));
    assert!(!accepts(counts.schema_ref(), &one("other", array(UInt32Array::from(vec![1])))));
    assert!(!accepts(counts.schema_ref(), &one("count", array(UInt64Array::from(vec![1])))));
    assert!(!accepts(counts.schema_ref(), &distances()));
}

#[test]
fn schemas_that_no_table_has_are_refused() {
    let field = |name: &str, data_type| Field::new(name, data_type, false);
    for fields in
        [vec![], vec![field("a", DataType::Int64), field("a", DataType::Utf8)], vec![field("a", DataType::Date32)]]
    {
        let made = TableWriter::to_stream(Box::new(io::sink()), TableFormat::Csv, &Schema::new(fields));
        assert!(matches!(made, Err(Error::Usage(_))));
    }
}

/// Stream that keeps its bytes in memory.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn streams_take_text_and_nothing_else() {
    for format in TableFormat::ALL {
        let kept = Kept::default();
        let made = TableWriter::to_stream(Box::new(kept.clone()), format, distances().schema_ref());
        if !format.is_text() {
            assert!(matches!(made, Err(Error::Usage(_))));
            continue;
        }
        let mut writer = made.unwrap();
        writer.write(&distances()).unwrap();
        writer.finish().unwrap();
        assert_eq!(*kept.0.lock().unwrap(), bytes_of(format, &[distances()]));
    }
}

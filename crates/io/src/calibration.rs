//! Speed of the disk and of memory: measured once, stored in the user's cache folder, and used to merge adjacent reads
//! and to choose between selects and sweeps.

use crate::{
    ALIGNMENT, Device, Disk, IoChoice, ReadRequest, ReadSource, SequentialFile, Storage, TemporaryFolder, open_device,
};
use outcrop_types::{
    Cancellation, Error, Observer, Phase, ProgressUnit, Result, SpaceShortage, SplitMix64, Stopwatch, length_from,
};
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Block sizes of random reads in bytes, with queue depths.
const POINTS: [(u32, usize); 5] = [(4 << 10, 128), (16 << 10, 128), (64 << 10, 64), (256 << 10, 32), (1 << 20, 32)];
/// Bytes of memory that are updated at random positions.
const UPDATED_BYTES: [u64; 4] = [256 << 10, 4 << 20, 32 << 20, 256 << 20];
const UPDATES: u64 = 1 << 22;
/// Duration of each measurement.
const TIME_PER_POINT: Duration = Duration::from_secs(1);
/// Buffers of the reader, in bytes.
const BUFFER_BYTES: usize = 32 << 20;
/// Minimum file size for a meaningful measurement, in bytes.
const SMALLEST_FILE: u64 = 64 << 20;

/// Device of figures that were not measured.
const ASSUMED: &str = "assumed";

/// Bandwidths of a disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bandwidths {
    /// Device number in the system, `major-minor`; `assumed` if nothing was measured.
    pub device: String,
    /// Sequential read bandwidth of a single reader, in bytes per second.
    pub sequential_read: f64,
    /// Random read bandwidth of a single reader in bytes per second, by block size in bytes, ascending.
    pub random_read: Vec<(u32, f64)>,
    /// Random reads of 4 KiB per second, at queue depth 1.
    pub random_read_depth_1: f64,
    /// Seconds per atomic update at a random position in memory, by the bytes over which positions are spread,
    /// ascending.
    #[serde(default = "assumed_updates")]
    pub random_update: Vec<(u64, f64)>,
}

/// Returns typical figures of a server with shared caches and memory.
fn assumed_updates() -> Vec<(u64, f64)> {
    vec![(256 << 10, 6e-9), (4 << 20, 10e-9), (32 << 20, 30e-9), (256 << 20, 100e-9)]
}

impl Bandwidths {
    /// Returns typical figures of a mid-range SSD, for disks that were not measured.
    pub fn assumed() -> Self {
        Self {
            device: ASSUMED.to_owned(),
            sequential_read: 2e9,
            random_read: vec![(4 << 10, 0.5e9), (16 << 10, 1.2e9), (64 << 10, 1.7e9), (256 << 10, 2e9), (1 << 20, 2e9)],
            random_read_depth_1: 15_000.0,
            random_update: assumed_updates(),
        }
    }

    /// Returns true if nothing was measured.
    pub fn are_assumed(&self) -> bool {
        self.device == ASSUMED
    }

    /// Returns the seconds per atomic update at a random position of `bytes`, on one thread; interpolates linearly
    /// between the measured sizes on a logarithmic scale.
    pub fn seconds_an_update(&self, bytes: u64) -> f64 {
        let above = self.random_update.partition_point(|(size, _)| *size < bytes);
        match (above.checked_sub(1).and_then(|below| self.random_update.get(below)), self.random_update.get(above)) {
            (Some((small, quick)), Some((large, slow))) => {
                let powers = |large: u64| (large as f64 / *small as f64).log2();
                quick + powers(bytes) / powers(*large) * (slow - quick)
            }
            (None, Some((_, seconds))) | (Some((_, seconds)), None) => *seconds,
            (None, None) => 0.0,
        }
    }

    /// Returns a description of the disk that contains `folder`, with its speed if it was measured.
    pub fn disk_in_words(&self, folder: &Path) -> String {
        let Ok(device) = device_of(folder) else { return String::new() };
        let number = device.replace('-', ":");
        // The last component of the link is the name; without /sys only the number is known.
        let link = std::fs::read_link(Path::new("/sys/dev/block").join(&number)).ok();
        let name = link.as_deref().and_then(Path::file_name).map_or(number, |name| name.to_string_lossy().into_owned());
        match self.random_read.first() {
            Some((size, speed)) if self.device == device => format!(
                "{name}: {:.1} GB/s sequential, {:.0} random reads of {} KiB per second",
                self.sequential_read / 1e9,
                speed / f64::from(*size),
                size >> 10
            ),
            _ => format!("{name} (not measured; run `outcrop calibrate`)"),
        }
    }

    /// Returns the maximum gap in bytes between two requested ranges for which reading the gap is cheaper than another
    /// request.
    ///
    /// A request of `b` bytes takes about `a + b c` seconds with a deep queue; the gap is `a / c`, at most 1 MiB.
    pub fn merge_gap(&self) -> u64 {
        let (Some(small), Some(large)) = (self.random_read.first(), self.random_read.last()) else { return 0 };
        let seconds = |point: &(u32, f64)| f64::from(point.0) / point.1;
        let per_byte = (seconds(large) - seconds(small)) / (f64::from(large.0) - f64::from(small.0));
        let per_request = seconds(small) - f64::from(small.0) * per_byte;
        // An invalid quotient (negative or NaN) becomes zero.
        (per_request / per_byte).clamp(0.0, f64::from(1 << 20)) as u64
    }

    /// Stores the figures in the user's cache folder, replacing older ones of the same disk; returns the path of the
    /// file.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the user has no cache folder, [`Error::Io`] or [`Error::DiskFull`].
    pub fn save(&self) -> Result<PathBuf> {
        let folder = cache_folder();
        let none = || Error::Usage("no cache folder for the measurements; set XDG_CACHE_HOME or HOME".to_owned());
        self.save_in(&folder.ok_or_else(none)?)
    }

    /// Loads the figures of the disk that contains `folder`; returns `None` if it was not measured or if the stored
    /// figures are invalid.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Io`] if the metadata of `folder` cannot be read.
    pub fn load(folder: &Path) -> Result<Option<Self>> {
        let device = device_of(folder)?;
        Ok(cache_folder().and_then(|cache| Self::load_from(&cache, &device)))
    }

    fn save_in(&self, cache: &Path) -> Result<PathBuf> {
        let path = file_in(cache, &self.device);
        let write = || {
            std::fs::create_dir_all(cache)?;
            let mut file = tempfile::NamedTempFile::new_in(cache)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| Error::io("write", &path, error))?;
        Ok(path)
    }

    fn load_from(cache: &Path, device: &str) -> Option<Self> {
        let text = std::fs::read(file_in(cache, device)).ok()?;
        serde_json::from_slice(&text).ok().filter(Self::makes_sense)
    }

    fn makes_sense(&self) -> bool {
        let positive = |figure: f64| figure.is_finite() && figure > 0.0;
        let ascending = self.random_read.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let speeds = self.random_read.iter().all(|(size, speed)| *size > 0 && positive(*speed));
        let some = !self.random_read.is_empty();
        let updates = self.random_update.iter().all(|(size, seconds)| *size > 0 && positive(*seconds));
        let alone = positive(self.sequential_read) && positive(self.random_read_depth_1);
        some && ascending && speeds && alone && updates && self.random_update.is_sorted_by(|a, b| a.0 < b.0)
    }
}

fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("outcrop"))
}

fn file_in(cache: &Path, device: &str) -> PathBuf {
    let name: String = device.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    cache.join(format!("bandwidths-{name}.json"))
}

fn device_of(folder: &Path) -> Result<String> {
    let number = std::fs::metadata(folder).map_err(|error| Error::io("access", folder, error))?.dev();
    Ok(format!("{}-{}", rustix::fs::major(number as _), rustix::fs::minor(number as _)))
}

/// Measures the disk that contains `folder` with a temporary file of `file_bytes` (at least 64 MiB; preferably larger
/// than the disk's own cache). Takes about ten seconds plus the time to write the file.
///
/// # Errors
///
/// Returns [`Error::DiskFull`] before writing if the file does not fit, [`Error::Interrupted`] or [`Error::Io`].
pub fn calibrate(folder: &Path, file_bytes: u64, observer: &dyn Observer, cancel: &Cancellation) -> Result<Bandwidths> {
    let length = file_bytes.max(SMALLEST_FILE).next_multiple_of(1 << 20);
    require_space(folder, length)?;
    let temporary = TemporaryFolder::create_in(folder)?;
    let path = temporary.path().join("file");
    write_file(&path, length, observer, cancel)?;
    let device = open_device(&path, IoChoice::Auto, &mut |note| observer.note(note))?;
    measure(device.as_ref(), device_of(folder)?, observer, cancel)
}

fn require_space(folder: &Path, length: u64) -> Result<()> {
    let remedy = match length > SMALLEST_FILE {
        true => "measure a smaller file (--size)",
        false => "measure another disk (64 MiB is the smallest file)",
    };
    SpaceShortage::check(folder, length, Disk.free_bytes(folder)?, remedy)
}

/// Writes incompressible bytes.
fn write_file(path: &Path, length: u64, observer: &dyn Observer, cancel: &Cancellation) -> Result<()> {
    observer.phase(&Phase { name: "writing a test file", unit: ProgressUnit::Bytes, total: Some(length) });
    let mut file: Box<dyn SequentialFile> = Disk.create(path)?;
    let random = SplitMix64::new(0, 1);
    let mut piece = vec![0; 1 << 20];
    while file.len() < length {
        cancel.check()?;
        for (position, word) in (file.len()..).zip(piece.chunks_exact_mut(8)) {
            word.copy_from_slice(&random.at(position).to_le_bytes());
        }
        file.write(&piece)?;
        observer.progress(file.len());
    }
    file.sync()
}

fn measure(device: &dyn Device, name: String, observer: &dyn Observer, cancel: &Cancellation) -> Result<Bandwidths> {
    observer.phase(&Phase { name: "measuring reads", unit: ProgressUnit::Bytes, total: None });
    let sequential_read = speed(device, 256 << 10, 32, |number, blocks| number % blocks, cancel)?;
    let random = |block, depth| speed(device, block, depth, random_place, cancel);
    let random_read =
        POINTS.iter().map(|(block, depth)| Ok((*block, random(*block, *depth)?))).collect::<Result<_>>()?;
    let single = random(4 << 10, 1)?;
    observer.phase(&Phase { name: "measuring memory", unit: ProgressUnit::Bytes, total: None });
    let random_update =
        UPDATED_BYTES.iter().map(|bytes| Ok((*bytes, update_seconds(*bytes, cancel)?))).collect::<Result<_>>()?;
    let random_read_depth_1 = single / 4096.0;
    Ok(Bandwidths { device: name, sequential_read, random_read, random_read_depth_1, random_update })
}

/// Returns the seconds per update at random positions of `bytes`.
fn update_seconds(bytes: u64, cancel: &Cancellation) -> Result<f64> {
    cancel.check()?;
    let places: Vec<AtomicU32> = (0..bytes / 4).map(|_| AtomicU32::new(u32::MAX)).collect();
    let watch = Stopwatch::start();
    for number in 0..UPDATES {
        let place = random_place(number, bytes / 4);
        places[place as usize].fetch_min(number as u32, Relaxed);
    }
    Ok(watch.seconds() / UPDATES as f64)
}

/// Returns the read bandwidth in bytes per second; `place` maps the number of a read and the number of blocks to a
/// block.
fn speed(
    device: &dyn Device,
    block: u32,
    depth: usize,
    place: impl Fn(u64, u64) -> u64,
    cancel: &Cancellation,
) -> Result<f64> {
    let length = block as usize;
    debug_assert!(length.is_multiple_of(ALIGNMENT));
    let blocks = (device.len() / u64::from(block)).max(1);
    let watch = Stopwatch::start();
    let mut probe = Probe { place, length, blocks, watch, cancel, reads: 0, bytes: 0 };
    device.reader(BUFFER_BYTES)?.read_many(depth, &mut probe)?;
    Ok(probe.bytes.max(1) as f64 / watch.seconds().max(1e-9))
}

/// Source of reads until the time is up.
struct Probe<'a, F> {
    place: F,
    length: usize,
    blocks: u64,
    watch: Stopwatch,
    cancel: &'a Cancellation,
    reads: u64,
    bytes: u64,
}

impl<F: Fn(u64, u64) -> u64> ReadSource for Probe<'_, F> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        self.cancel.check()?;
        if self.watch.elapsed() >= TIME_PER_POINT {
            return Ok(None);
        }
        let offset = (self.place)(self.reads, self.blocks) * length_from(self.length);
        self.reads += 1;
        Ok(Some(ReadRequest { offset, length: self.length, token: 0 }))
    }

    fn ready(&mut self, _token: u64, bytes: &[u8]) -> Result<()> {
        self.bytes += length_from(bytes.len());
        Ok(())
    }
}

/// Returns a pseudorandom block for read `number` among `blocks`, the same in every run.
fn random_place(number: u64, blocks: u64) -> u64 {
    SplitMix64::new(0, 0).at(number) % blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::Silent;

    #[test]
    fn assumed_figures_make_sense() {
        let assumed = Bandwidths::assumed();
        assert!(assumed.makes_sense());
        assert!((8 << 10..16 << 10).contains(&assumed.merge_gap()), "{}", assumed.merge_gap());
    }

    #[test]
    #[cfg_attr(miri, ignore = "measures time")]
    fn an_update_takes_longer_the_more_memory_there_is() {
        let assumed = Bandwidths::assumed();
        let seconds: Vec<_> = (10..40).map(|power| assumed.seconds_an_update(1 << power)).collect();
        assert!(seconds.is_sorted(), "{seconds:?}");
        assert!(assumed.random_update.iter().all(|(size, seconds)| assumed.seconds_an_update(*size) == *seconds));
        assert!((assumed.seconds_an_update(16 << 20) - 20e-9).abs() < 4e-9);
        let older = serde_json::to_string(&assumed).unwrap().replace("random_update", "unknown");
        assert_eq!(serde_json::from_str::<Bandwidths>(&older).unwrap(), assumed);
    }

    #[test]
    fn figures_without_sense_give_no_gap_and_are_not_loaded() {
        let mut odd = Bandwidths::assumed();
        odd.random_read = vec![(4096, f64::NAN), (8192, 0.0)];
        assert_eq!(odd.merge_gap(), 0);
        odd.random_read.clear();
        assert_eq!((odd.merge_gap(), odd.makes_sense()), (0, false));
    }

    #[test]
    fn figures_are_kept_by_device() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("new");
        let figures = Bandwidths { device: "8-1".to_owned(), ..Bandwidths::assumed() };
        figures.save_in(&folder).unwrap();
        figures.save_in(&folder).unwrap();
        assert_eq!(Bandwidths::load_from(&folder, "8-1"), Some(figures));
        assert_eq!(Bandwidths::load_from(&folder, "8-2"), None);
        std::fs::write(file_in(&folder, "8-2"), b"{").unwrap();
        assert_eq!(Bandwidths::load_from(&folder, "8-2"), None);
    }

    #[test]
    #[ignore = "takes ten seconds"]
    fn this_disk_can_be_measured() {
        let folder = tempfile::tempdir().unwrap();
        let figures = calibrate(folder.path(), 256 << 20, &Silent, &Cancellation::new()).unwrap();
        println!("{figures:?} gap {}", figures.merge_gap());
        assert!(figures.makes_sense());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no statvfs")]
    fn a_cancelled_or_impossible_calibration_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = Cancellation::new();
        cancel.cancel();
        assert!(matches!(calibrate(folder.path(), 0, &Silent, &cancel), Err(Error::Interrupted)));
        let error = calibrate(folder.path(), 1 << 60, &Silent, &cancel).unwrap_err();
        assert!(matches!(error, Error::DiskFull { .. }) && error.to_string().ends_with("(--size)"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

//! Settings of the `csr` layout.

use crate::component::UNIT_BYTES;
use outcrop_types::{Error, Result, index_from, length_from};

/// Settings of the `csr` layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsrSettings {
    /// Bytes of a page: what of an edge file is checksummed, read and cached as a whole. A power of two from 512 to
    /// 65536.
    pub page_bytes: u32,
}

impl CsrSettings {
    /// The smallest page: a sector of a disk (Lee, Kim, Lim, Noh and Seo, USENIX ATC 2019, figure 13).
    pub(crate) const SMALLEST_PAGE: u32 = 512;
    /// The largest page.
    pub(crate) const LARGEST_PAGE: u32 = 64 << 10;
    /// The page where nothing is chosen, and in stores of versions 1 and 2.
    pub(crate) const DEFAULT_PAGE: u32 = 4096;

    /// Creates settings with pages of `bytes` bytes.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] unless that is a power of two from 512 to 65,536.
    pub fn with_pages_of(bytes: u64) -> Result<Self> {
        // Default: too many are refused just below.
        let settings = Self { page_bytes: u32::try_from(bytes).unwrap_or(u32::MAX) };
        settings.validate().map(|()| settings)
    }

    /// Refuses settings that the format cannot hold.
    ///
    /// # Errors
    /// [`Error::Usage`] with what was expected.
    pub(crate) fn validate(&self) -> Result<()> {
        let fits = (Self::SMALLEST_PAGE..=Self::LARGEST_PAGE).contains(&self.page_bytes);
        if fits && self.page_bytes.is_power_of_two() {
            return Ok(());
        }
        let found = self.page_bytes;
        Err(Error::Usage(format!("invalid page size {found}; expected a power of two from 512 to 65536 bytes")))
    }

    /// Bytes of a page, as a length.
    pub(crate) const fn page(self) -> usize {
        index_from(self.page_bytes as u64)
    }

    /// Files with smaller pages are filled up with empty ones, so that every device reads them to their end: an edge
    /// file has a multiple of so many pages.
    pub(crate) const fn pages_multiple(self) -> u64 {
        let unit = length_from(UNIT_BYTES);
        if (self.page_bytes as u64) < unit { unit / self.page_bytes as u64 } else { 1 }
    }
}

impl Default for CsrSettings {
    fn default() -> Self {
        Self { page_bytes: Self::DEFAULT_PAGE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_powers_of_two_from_a_sector_to_64_kibibytes() {
        let fits = |page_bytes| CsrSettings { page_bytes }.validate().is_ok();
        let sizes: Vec<u32> = (0..200_000).filter(|size| fits(*size)).collect();
        assert_eq!(sizes, [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]);
        assert!(!fits(u32::MAX) && !fits(1 << 31));
    }
}

//! Settings of the `csr` layout.

use crate::component::UNIT_BYTES;
use outcrop_types::{Error, Result, index_from, length_from};

/// Settings of the `csr` layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsrSettings {
    /// Page size in bytes: the unit of checksums, reads and caching of an edge file. A power of two from 512 to 65536.
    pub page_bytes: u32,
}

impl CsrSettings {
    /// Smallest page size: a disk sector (Lee, Kim, Lim, Noh and Seo, USENIX ATC 2019, figure 13).
    pub(crate) const SMALLEST_PAGE: u32 = 512;
    /// Largest page size.
    pub(crate) const LARGEST_PAGE: u32 = 64 << 10;
    /// Default page size, and the page size of stores of versions 1 and 2.
    pub(crate) const DEFAULT_PAGE: u32 = 4096;

    /// Creates settings with pages of `bytes` bytes.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] unless `bytes` is a power of two from 512 to 65,536.
    pub fn with_pages_of(bytes: u64) -> Result<Self> {
        // Default: larger values are rejected by the validation below.
        let settings = Self { page_bytes: u32::try_from(bytes).unwrap_or(u32::MAX) };
        settings.validate().map(|()| settings)
    }

    /// Rejects settings that the format does not support.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with the supported values.
    pub(crate) fn validate(&self) -> Result<()> {
        let fits = (Self::SMALLEST_PAGE..=Self::LARGEST_PAGE).contains(&self.page_bytes);
        if fits && self.page_bytes.is_power_of_two() {
            return Ok(());
        }
        let found = self.page_bytes;
        Err(Error::Usage(format!("invalid page size {found}; expected a power of two from 512 to 65536 bytes")))
    }

    /// Returns the page size as a length.
    pub(crate) const fn page(self) -> usize {
        index_from(self.page_bytes as u64)
    }

    /// Returns the factor that divides the number of pages of an edge file. Files with small pages are padded with
    /// empty ones, so that every device can read them to their end.
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

//! Algorithm 1 as it stands in the paper, all lists in memory.

use crate::pages::PagedLists;
use outcrop_placement::selection::Preference;
use outcrop_store::access::Pages;

/// Lists that the selection is among, and its state.
pub struct Naive<'n> {
    pub lists: &'n PagedLists,
    pub back: &'n PagedLists,
    pub gone: Vec<bool>,
    pub filled: u64,
}

impl<'n> Naive<'n> {
    pub fn new(lists: &'n PagedLists, back: &'n PagedLists) -> Self {
        Self { lists, back, gone: vec![false; lists.lists.len()], filled: 0 }
    }

    fn lists_in(&self, page: Option<u32>) -> usize {
        (0..self.gone.len() as u32).filter(|vertex| self.lists.page_of(*vertex) == page).count()
    }

    /// T\[u\] over the length of the list (lines 6 to 13); `None` for who cannot be selected.
    pub fn penalty(&self, u: u32) -> Option<f32> {
        let (page, length) = (self.lists.page_of(u)?, self.lists.lists[u as usize].len());
        if self.gone[u as usize] {
            return None;
        }
        let mut requesters = self.back.lists[u as usize].clone();
        let in_degree = requesters.len().max(1);
        requesters.dedup();
        let mut sum = 0.0;
        for v in requesters {
            let mut beside = self.lists.lists[v as usize].clone();
            beside.dedup();
            beside.retain(|w| self.lists.page_of(*w) == Some(page) && !self.gone[*w as usize]);
            let used: usize = beside.iter().map(|w| self.lists.lists[*w as usize].len()).sum();
            sum += 1.0 / used as f64;
        }
        let weight = 1.0 / (self.lists_in(Some(page)) as f64 * in_degree as f64 * length as f64);
        Some((sum * weight) as f32)
    }

    /// Everybody who can be selected, with the penalty, those first who are selected first.
    fn ranked(&self, preference: Preference) -> Vec<(u32, f32)> {
        let all = 0..self.gone.len() as u32;
        let mut ranked: Vec<_> = all.filter_map(|u| self.penalty(u).map(|penalty| (u, penalty))).collect();
        ranked.sort_by(|a, b| match preference {
            Preference::Highest => b.1.total_cmp(&a.1),
            Preference::Lowest => a.1.total_cmp(&b.1),
        });
        ranked
    }

    /// One round (lines 12 to 16): fills up to `entries`.
    pub fn round(&mut self, entries: u64, preference: Preference) -> Vec<u32> {
        let mut taken = Vec::new();
        for (u, _) in self.ranked(preference) {
            let filled = self.filled + self.lists.lists[u as usize].len() as u64;
            if filled > entries {
                break;
            }
            self.filled = filled;
            self.gone[u as usize] = true;
            taken.push(u);
        }
        taken
    }
}

//! HTML page that shows a record: style and charts included, no scripts, no external resources.

mod build;
mod chart;
mod columns;
mod document;
mod facts;
mod gas;
mod markup;
mod messages;
mod profile;
mod run;
mod units;

use crate::record::{BuildRecord, ProfileRecord, Record, RunRecord};

impl RunRecord {
    /// Renders the record as a self-contained HTML page.
    pub fn to_html(&self) -> String {
        run::run_page(self)
    }
}

impl BuildRecord {
    /// Renders the record as a self-contained HTML page.
    pub fn to_html(&self) -> String {
        build::build_page(self)
    }
}

impl ProfileRecord {
    /// Renders the profile as a self-contained HTML page.
    pub fn to_html(&self) -> String {
        profile::profile_page(self)
    }
}

impl Record {
    /// Renders the record as a self-contained HTML page.
    pub fn to_html(&self) -> String {
        match self {
            Self::Run(record) => record.to_html(),
            Self::Build(record) => record.to_html(),
            Self::Profile(record) => record.to_html(),
        }
    }
}

#[cfg(test)]
mod tests;

//! One page that shows a record: HTML with its style and its charts inside, no scripts, nothing from anywhere else.

mod build;
mod chart;
mod columns;
mod document;
mod facts;
mod gas;
mod markup;
mod messages;
mod run;
mod units;

use crate::record::{BuildRecord, Record, RunRecord};

impl RunRecord {
    /// A page of HTML that shows the record; it needs nothing from anywhere else.
    pub fn to_html(&self) -> String {
        run::run_page(self)
    }
}

impl BuildRecord {
    /// A page of HTML that shows the record; it needs nothing from anywhere else.
    pub fn to_html(&self) -> String {
        build::build_page(self)
    }
}

impl Record {
    /// A page of HTML that shows the record; it needs nothing from anywhere else.
    pub fn to_html(&self) -> String {
        match self {
            Self::Run(record) => record.to_html(),
            Self::Build(record) => record.to_html(),
        }
    }
}

#[cfg(test)]
mod tests;

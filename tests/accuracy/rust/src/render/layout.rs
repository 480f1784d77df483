//! Positions of text on a page.

use super::report::Report; // ⟦ ref Report import ⟧

pub const MARGIN: usize = 2; // ⟦ def layout.MARGIN ⟧

pub fn layout(report: &Report) -> usize { // ⟦ def layout ; ref Report type ⟧
    report.len() + MARGIN // ⟦ call Report.len from layout ; ref layout.MARGIN read ⟧
}

/// How the lines of a page are set.
#[derive(Default)]
pub struct Setting { // ⟦ def Setting ⟧
    indent: usize, // ⟦ def Setting.field.indent ⟧
}

impl Setting { // ⟦ ref Setting type ⟧
    pub fn indent(mut self, columns: usize) -> Setting { // ⟦ def Setting.indent ; ref Setting type ⟧
        self.indent = columns; // ⟦ ref Setting.field.indent write ⟧
        self
    }

    pub fn spread(self, report: &Report) -> (Setting, usize) { // ⟦ def Setting.spread ; ref Setting type ; ref Report type ⟧
        let lines = report.len(); // ⟦ call Report.len from Setting.spread ⟧
        (self, lines)
    }

    pub fn columns(&self) -> usize { // ⟦ def Setting.columns ⟧
        self.indent + MARGIN // ⟦ ref Setting.field.indent read ; ref layout.MARGIN read ⟧
    }
}

pub fn narrow(report: &Report) -> usize { // ⟦ def narrow ; ref Report type ⟧
    let (setting, lines) = Setting::default().indent(3).spread(report); // ⟦ ref Setting ; call Setting.indent from narrow ; call Setting.spread from narrow ⟧
    setting.columns() + lines // ⟦ call Setting.columns from narrow ⟧
}

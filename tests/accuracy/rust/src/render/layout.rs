//! Positions of text on a page.

use super::report::Report; // ⟦ ref Report import ⟧

pub const MARGIN: usize = 2; // ⟦ def layout.MARGIN ⟧

pub fn layout(report: &Report) -> usize { // ⟦ def layout ; ref Report type ⟧
    report.len() + MARGIN // ⟦ call Report.len from layout ; ref layout.MARGIN read ⟧
}

//! Writes reports, in the ways that are long to write.

pub mod layout;
mod report;

pub use layout::layout; // ⟦ ref layout import ⟧
pub use report::{Report, Sheet}; // ⟦ ref Report import ; ref Sheet import ⟧

pub trait Paper { // ⟦ def Paper ⟧
    fn width(&self) -> usize; // ⟦ def Paper.width ⟧
}

pub struct Press<P>(P, Report); // ⟦ def Press ; ref Report type ⟧

impl<P: Paper> Press<P> { // ⟦ ref Paper type ; ref Press type ⟧
    pub fn new(paper: P) -> Press<P> { // ⟦ def Press.new ; ref Press type ⟧
        Press(paper, Report::default()) // ⟦ call Press from Press.new ; ref Report ⟧
    }

    pub fn space(&self) -> usize { // ⟦ def Press.space ⟧
        self.0.width() + self.1.len() // ⟦ call Paper.width from Press.space ; call Report.len from Press.space ⟧
    }
}

pub fn widest<P>(one: P, other: P) -> usize // ⟦ def widest ⟧
where
    P: Paper, // ⟦ ref Paper type ⟧
{
    one.width().max(other.width()) // ⟦ call Paper.width from widest ⟧
}

pub fn print() -> usize { // ⟦ def render.print ⟧
    let report = Report::default() // ⟦ ref Report ⟧
        .title("a title that is long enough to be the only thing that stands in its line") // ⟦ call Report.title from render.print ⟧
        .line("another line that would not fit beside it, were it not for the end of the line") // ⟦ call Report.line from render.print ⟧
        // The last one.
        .line("short"); // ⟦ call Report.line from render.print ⟧
    layout(&report) // ⟦ call layout from render.print ⟧
}

pub fn first(sheet: &Sheet) -> usize { // ⟦ def render.first ; ref Sheet type ⟧
    match *sheet {
        Sheet::Written(ref report) => report.len(), // ⟦ ref Sheet read ; ref Sheet.Written read ; call Report.len from render.first ⟧
        Sheet::Blank => layout::MARGIN, // ⟦ ref Sheet read ; ref Sheet.Blank read ; ref layout.MARGIN read ⟧
    }
}

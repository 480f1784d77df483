//! A report, line by line.

#[derive(Default)]
pub struct Report { // ⟦ def Report ⟧
    lines: Vec<String>, // ⟦ def Report.lines ⟧
}

pub enum Sheet { // ⟦ def Sheet ⟧
    Written(Report), // ⟦ def Sheet.Written ; ref Report type ⟧
    Blank, // ⟦ def Sheet.Blank ⟧
}

impl Report { // ⟦ ref Report type ⟧
    pub fn title(self, text: &str) -> Report { // ⟦ def Report.title ; ref Report type ⟧
        self.line(text) // ⟦ call Report.line from Report.title ⟧
    }

    pub fn line(mut self, text: &str) -> Report { // ⟦ def Report.line ; ref Report type ⟧
        self.lines.push(text.to_owned()); // ⟦ ref Report.lines ⟧
        self
    }

    pub fn len(&self) -> usize { // ⟦ def Report.len ⟧
        self.lines.len() // ⟦ ref Report.lines ⟧
    }
}

#[cfg(test)]
mod tests {
    use super::Report; // ⟦ ref Report import ⟧

    macro_rules! check { // ⟦ def check ⟧
        ($name:ident, $run:expr) => {
            pub fn $name() {
                let run: fn(Report) = $run; // ⟦ may Report ⟧
                run(Report::default()); // ⟦ may Report ⟧
            }
        };
    }

    check!(empty, |report: Report| { // ⟦ call check from - ; ref Report ⟧
        assert_eq!(report.len(), 0); // ⟦ call Report.len from - ⟧
        let longer = report.title("one");  // ⟦ call Report.title from - ⟧
        assert_eq!(longer.len(), 1); // ⟦ call Report.len from - ⟧
    });
}

//! Requests for tables in reports.

use tutelage_compare::Cost;

/// A request: `WHAT FIGURE of CURVE against CURVE by COST: ROW`. Everything except WHAT is optional.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TableRequest<'a> {
    /// The kind of table.
    pub(crate) what: &'a str,
    /// The figure; empty if there is none.
    pub(crate) figure: &'a str,
    /// The curve that the table is about.
    pub(crate) of: Option<&'a str>,
    /// The baseline.
    pub(crate) against: Option<&'a str>,
    /// The cost; `None` means the figure's x axis.
    pub(crate) by: Option<Cost>,
    /// The row of the figure; `None` means all rows.
    pub(crate) row: Option<&'a str>,
}

impl<'a> TableRequest<'a> {
    /// Parses a request; returns `None` if it is invalid.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (head, row) = text.split_once(": ").map_or((text, None), |(h, row)| (h, Some(row)));
        let mut words = head.split(' ');
        let (what, figure) = (words.next()?, words.next().unwrap_or_default());
        let mut request = Self { what, figure, of: None, against: None, by: None, row };
        while let Some(key) = words.next() {
            let value = words.next()?;
            match key {
                "of" => request.of = Some(value),
                "against" => request.against = Some(value),
                "by" => request.by = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        Some(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_and_unknown_ones_are_rejected() {
        let plain = TableRequest::parse("curves main").unwrap();
        assert_eq!((plain.what, plain.figure, plain.row), ("curves", "main", None));
        let whole =
            TableRequest::parse("ratios fewest by 0.01 against bd-5 of bc: a row: of its own");
        let whole = whole.unwrap();
        assert_eq!((whole.of, whole.against), (Some("bc"), Some("bd-5")));
        assert_eq!((whole.by, whole.row), (Some(Cost::Weighted(0.01)), Some("a row: of its own")));
        assert_eq!(TableRequest::parse("claims").unwrap().figure, "");
        for text in ["ratios fewest versus bd-5", "ratios fewest by", "ratios fewest by love"] {
            assert_eq!(TableRequest::parse(text), None, "{text}");
        }
    }
}

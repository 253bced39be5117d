//! Letters on a picture: an 8 by 8 bitmap font, dark with a light edge so that it reads on any background.

use font8x8::{BASIC_FONTS, UnicodeFonts};

use crate::render::frame::Frame;

const INK: [u8; 3] = [24, 32, 44];
const EDGE: [u8; 3] = [246, 248, 250];
const SIDE: usize = 8;

/// Draws `line` with its upper left corner at (x, y).
pub(crate) fn draw(frame: &mut Frame, x: usize, y: usize, line: &str) {
    let dots: Vec<(usize, usize)> = dots(line).map(|(column, row)| (x + column, y + row)).collect();
    for &(column, row) in &dots {
        for (dx, dy) in [(0, 1), (2, 1), (1, 0), (1, 2)] {
            if let (Some(edge_x), Some(edge_y)) =
                ((column + dx).checked_sub(1), (row + dy).checked_sub(1))
            {
                frame.set(edge_x, edge_y, EDGE);
            }
        }
    }
    dots.iter().for_each(|&(column, row)| frame.set(column, row, INK));
}

/// The inked dots of a line, relative to its corner.
fn dots(line: &str) -> impl Iterator<Item = (usize, usize)> {
    line.chars().enumerate().flat_map(|(place, letter)| {
        let glyph = BASIC_FONTS.get(letter).or_else(|| BASIC_FONTS.get('?')).unwrap_or_default();
        (0..SIDE)
            .flat_map(|row| (0..SIDE).map(move |column| (column, row)))
            .filter(move |&(column, row)| glyph[row] >> column & 1 == 1)
            .map(move |(column, row)| (place * SIDE + column, row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_leave_ink_within_their_cell_and_text_is_cut_at_the_edge() {
        let mut frame = Frame::new(12, 10);
        frame.write_text(1, 1, "||é");
        let inked = |x: usize| (0..10).any(|y| frame.pixel(x, y) == Some(INK));
        assert!((1..9).any(inked), "the first letter is there");
        assert!(!inked(0), "ink stays within the letter's cell");
    }

    #[test]
    fn unknown_characters_become_question_marks() {
        assert!(dots("é").eq(dots("?")));
        assert_eq!(dots(" ").count(), 0);
    }
}

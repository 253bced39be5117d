//! Drawing a maze.

use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use super::GridEnv;
use super::maze::Cell;

impl Render for GridEnv {
    /// Draws each cell as a unit square; the first one spans (0, 0) to (1, 1).
    fn render(&self) -> Drawing {
        let [width, height] = self.maze.size.map(|count| count as f64);
        let floor = Rectangle { low: [0.0; 2], high: [width, height] };
        let mut marks = vec![Mark::Polygon { points: floor.corners().to_vec(), ink: Ink::Paper }];
        marks.extend(self.goal_flag());
        let trail: Vec<[f64; 2]> = self.trail.iter().map(|cell| middle(*cell)).collect();
        marks.push(Mark::Line { points: trail, width: 0.12, ink: Ink::Faint });
        let line = |points: &[[f64; 2]]| Mark::Line {
            points: points.to_vec(),
            width: 0.1,
            ink: Ink::Slate,
        };
        let corners = floor.corners();
        marks.push(line(&[corners[0], corners[1], corners[2], corners[3], corners[0]]));
        marks.extend(self.maze.inner_walls().map(|(cell, way)| line(&wall(cell, way))));
        let center = middle(self.cell());
        marks.push(Mark::Circle { center, radius: 0.28, ink: Ink::Blue });
        let view = Rectangle { low: [-0.4; 2], high: [width + 0.4, height + 0.4] };
        Picture { view, background: Ink::Field, marks }.into()
    }
}

impl GridEnv {
    /// Draws a light square with a flag.
    fn goal_flag(&self) -> [Mark; 3] {
        let [x, y] = self.goal.map(|index| index as f64);
        let square = Rectangle { low: [x, y], high: [x + 1.0, y + 1.0] };
        let flag = vec![[x + 0.35, y + 0.85], [x + 0.8, y + 0.67], [x + 0.35, y + 0.5]];
        let pole = vec![[x + 0.35, y + 0.15], [x + 0.35, y + 0.85]];
        [
            Mark::Polygon { points: square.corners().to_vec(), ink: Ink::Field },
            Mark::Polygon { points: flag, ink: Ink::Green },
            Mark::Line { points: pole, width: 0.06, ink: Ink::Dark },
        ]
    }
}

fn middle(cell: Cell) -> [f64; 2] {
    cell.map(|index| index as f64 + 0.5)
}

/// Returns the ends of the wall above a cell (direction 0) or right of it (direction 1).
fn wall(cell: Cell, way: usize) -> [[f64; 2]; 2] {
    let [x, y] = cell.map(|index| index as f64);
    if way == 0 { [[x, y + 1.0], [x + 1.0, y + 1.0]] } else { [[x + 1.0, y], [x + 1.0, y + 1.0]] }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::worlds::play::play;

    fn lines(picture: &Picture, ink: Ink) -> Vec<Vec<[f64; 2]>> {
        let marks = picture.marks.iter().filter(|mark| mark.ink() == ink);
        marks.map(|mark| mark.points().to_vec()).collect()
    }

    #[test]
    fn walls_are_drawn_and_trails_do_not_cross_them() {
        let mut grid = GridEnv::default();
        for seed in 0..20 {
            play(&mut grid, Stream::new(seed));
            let picture = grid.render().into_picture().unwrap();
            let walls = lines(&picture, Ink::Slate);
            assert_eq!(walls.len(), 1 + grid.maze.inner_walls().count(), "and the outer wall");
            let trail = &lines(&picture, Ink::Faint)[0];
            for step in trail.windows(2) {
                let half_way = [0, 1].map(|axis| 0.5 * (step[0][axis] + step[1][axis]));
                let is_wall = |wall: &Vec<[f64; 2]>| {
                    [0, 1].map(|axis| 0.5 * (wall[0][axis] + wall[1][axis])) == half_way
                };
                assert!(!walls[1..].iter().any(is_wall), "seed {seed}, at {half_way:?}");
            }
        }
    }
}

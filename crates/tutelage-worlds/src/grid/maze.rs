//! The walls of a maze.

use std::collections::VecDeque;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use tutelage::Rng;

/// Column and row of a cell, from the lower left.
pub(crate) type Cell = [usize; 2];

/// The four ways out of a cell as changes of column and row: up, right, down, left.
const WAYS: [[isize; 2]; 4] = [[0, 1], [1, 0], [0, -1], [-1, 0]];

/// Cells with or without walls between neighbours; a wall is all around.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Maze {
    pub(crate) size: [usize; 2],
    /// For each cell, row by row, which of the four ways are open.
    open: Vec<[bool; 4]>,
}

impl Maze {
    /// A maze in which every cell can be reached, with `loops` more openings than that needs.
    pub(crate) fn new(size: [usize; 2], loops: usize, rng: &mut Rng) -> Self {
        let mut maze = Self { size, open: vec![[false; 4]; size[0] * size[1]] };
        maze.dig(rng);
        let mut walls: Vec<(Cell, usize)> = maze.inner_walls().collect();
        walls.shuffle(rng);
        walls.into_iter().take(loops).for_each(|(cell, way)| maze.break_through(cell, way));
        maze
    }

    /// Opens ways in a random walk that goes back where it is stuck, until every cell has been visited.
    fn dig(&mut self, rng: &mut Rng) {
        let mut path = vec![[0, 1].map(|axis| rng.random_range(0..self.size[axis]))];
        while let Some(&cell) = path.last() {
            let is_new = |next: Cell| self.open[self.index(next)] == [false; 4];
            let fresh: Vec<usize> =
                (0..4).filter(|&way| self.neighbour(cell, way).is_some_and(is_new)).collect();
            match fresh.choose(rng).and_then(|&way| Some((way, self.neighbour(cell, way)?))) {
                Some((way, next)) => {
                    self.break_through(cell, way);
                    path.push(next);
                }
                None => drop(path.pop()),
            }
        }
    }

    /// The cell that a way leads to, if it is not outside; walls do not count.
    fn neighbour(&self, cell: Cell, way: usize) -> Option<Cell> {
        let [column, row] = [0, 1].map(|axis| cell[axis].checked_add_signed(WAYS[way][axis]));
        let next = [column?, row?];
        (next[0] < self.size[0] && next[1] < self.size[1]).then_some(next)
    }

    fn break_through(&mut self, cell: Cell, way: usize) {
        if let Some(next) = self.neighbour(cell, way) {
            let (here, there) = (self.index(cell), self.index(next));
            self.open[here][way] = true;
            self.open[there][(way + 2) % 4] = true;
        }
    }

    /// The walls between two cells, each once: by the cell to their left or below them.
    pub(crate) fn inner_walls(&self) -> impl Iterator<Item = (Cell, usize)> + '_ {
        self.cells().flat_map(|cell| [(cell, 0), (cell, 1)]).filter(|&(cell, way)| {
            self.neighbour(cell, way).is_some() && !self.open[self.index(cell)][way]
        })
    }

    fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let [columns, rows] = self.size;
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]))
    }

    fn index(&self, [column, row]: Cell) -> usize {
        row * self.size[0] + column
    }

    /// Where a step in one of the four ways leads: nowhere where there is a wall.
    pub(crate) fn step(&self, cell: Cell, way: usize) -> Cell {
        if self.is_open(cell, way) { self.neighbour(cell, way).unwrap_or(cell) } else { cell }
    }

    /// Whether a way out of a cell is open.
    pub(crate) fn is_open(&self, cell: Cell, way: usize) -> bool {
        self.open[self.index(cell)][way]
    }

    /// The cells at the four corners.
    pub(crate) fn corners(&self) -> [Cell; 4] {
        let [right, top] = self.size.map(|count| count - 1);
        [[0, 0], [right, 0], [right, top], [0, top]]
    }

    /// How many steps each cell, row by row, is from `goal`: breadth-first search.
    pub(crate) fn steps_to(&self, goal: Cell) -> Vec<usize> {
        let mut steps = vec![usize::MAX; self.open.len()];
        let mut waiting = VecDeque::from([goal]);
        steps[self.index(goal)] = 0;
        while let Some(cell) = waiting.pop_front() {
            for way in 0..4 {
                let (here, next) = (self.index(cell), self.step(cell, way));
                if steps[self.index(next)] == usize::MAX {
                    steps[self.index(next)] = steps[here] + 1;
                    waiting.push_back(next);
                }
            }
        }
        steps
    }

    /// The way that leads nearest to the goal from a cell, the first of several such.
    pub(crate) fn way_to(&self, goal: Cell, cell: Cell) -> usize {
        let steps = self.steps_to(goal);
        (0..4).min_by_key(|&way| steps[self.index(self.step(cell, way))]).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    fn maze(seed: u64, loops: usize) -> Maze {
        Maze::new([7, 5], loops, &mut Stream::new(seed).rng())
    }

    #[test]
    fn every_cell_is_reached_and_without_loops_by_one_way_only() {
        for seed in 0..20 {
            let maze = maze(seed, 0);
            assert!(maze.steps_to([0, 0]).iter().all(|&steps| steps < 35), "seed {seed}");
            let inner = 7 * 4 + 6 * 5;
            assert_eq!(
                inner - maze.inner_walls().count(),
                34,
                "a tree has one edge less than nodes"
            );
        }
    }

    #[test]
    fn loops_open_as_many_walls_as_they_say_and_at_most_all() {
        assert_eq!(maze(3, 0).inner_walls().count() - maze(3, 5).inner_walls().count(), 5);
        assert_eq!(maze(3, 1000).inner_walls().count(), 0);
    }

    #[test]
    fn walls_stop_from_both_sides_and_all_around() {
        let maze = maze(1, 3);
        for (cell, way) in maze.inner_walls() {
            let beyond = maze.neighbour(cell, way).unwrap();
            assert_eq!((maze.step(cell, way), maze.step(beyond, way + 2)), (cell, beyond));
        }
        assert_eq!(maze.step([0, 0], 3), [0, 0]);
        assert_eq!(maze.step([6, 4], 0), [6, 4]);
    }

    #[test]
    fn in_an_empty_hall_the_way_is_as_long_as_columns_and_rows_apart() {
        let hall = maze(1, 1000);
        let steps = hall.steps_to([6, 0]);
        for [column, row] in hall.cells() {
            assert_eq!(steps[hall.index([column, row])], 6 - column + row);
        }
        assert_eq!(hall.way_to([6, 0], [2, 0]), 1, "right");
        assert_eq!(hall.way_to([6, 0], [6, 3]), 2, "down");
        assert_eq!(hall.way_to([6, 0], [2, 3]), 1, "the first of two");
    }
}

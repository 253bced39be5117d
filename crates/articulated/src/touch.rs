//! Contact points, packed: the first of each lane, the second, and so on.

use crate::algebra::Algebra;
use crate::manifold::POINTS;
use crate::simd::Real;
use crate::sort::quick_sort;
use crate::state::State;
use crate::tree::Tree;

/// The `k`-th contact point of each lane.
#[derive(Clone, Copy)]
pub(crate) struct Touch<A: Algebra, R: Real> {
    pub(crate) at: A::Point<R>,
    pub(crate) friction: R,
    pub(crate) ways: [u64; 8],
    /// Which lanes have so many.
    pub(crate) valid: u8,
}

/// All of them.
pub(crate) struct Touches<A: Algebra, R: Real> {
    pub(crate) list: Vec<Touch<A, R>>,
    /// Shapes that touch in one lane.
    touching: Vec<usize>,
}

impl<A: Algebra, R: Real> Touches<A, R> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Touches {
            list: Vec::with_capacity(POINTS * tree.contacts.len()),
            touching: Vec::with_capacity(tree.contacts.len()),
        }
    }

    /// The lanes that touch the floor.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        self.list.first().map_or(0, |touch| touch.valid)
    }

    /// Contact points of each lane in the order in which Bullet's islands hand them to its solver.
    #[inline(always)]
    pub(crate) fn collect(&mut self, tree: &Tree, state: &State<A, R>, active: u8) {
        self.list.clear();
        for lane in (0..R::LANES).filter(|lane| active >> lane & 1 != 0) {
            self.order_touching(tree, state, lane);
            let mut place = 0;
            for &contact in &self.touching {
                let manifold = &state.manifolds[contact];
                let way =
                    tree.contacts[contact].node.checked_sub(1).map_or(0, |i| tree.links[i].way);
                for point in &manifold.points[..usize::from(manifold.counts[lane])] {
                    if place == self.list.len() {
                        self.list.push(Touch {
                            at: point.position,
                            friction: R::zero(),
                            ways: [0; 8],
                            valid: 0,
                        });
                    }
                    let touch = &mut self.list[place];
                    for (to, from) in touch.at.as_mut().iter_mut().zip(point.position.as_ref()) {
                        to.lanes_mut()[lane] = from.lanes()[lane];
                    }
                    touch.friction.lanes_mut()[lane] = tree.contacts[contact].friction;
                    touch.ways[lane] = way;
                    touch.valid |= 1 << lane;
                    place += 1;
                }
            }
        }
    }

    /// The shapes with contact points, sorted by link. The sort is not stable, so the order of two shapes of one link depends on how many
    /// shapes touch.
    #[inline(always)]
    fn order_touching(&mut self, tree: &Tree, state: &State<A, R>, lane: usize) {
        self.touching.clear();
        let touches = |&contact: &usize| state.manifolds[contact].counts[lane] != 0;
        self.touching.extend((0..tree.contacts.len()).filter(touches));
        let node = |contact: usize| tree.contacts[contact].node;
        // Shapes are kept with the last link first.
        if self.touching.windows(2).any(|pair| node(pair[0]) == node(pair[1])) {
            quick_sort(&mut self.touching, node);
        } else {
            self.touching.reverse();
        }
    }
}

//! Joints beyond their limits, packed: the first of each lane, the second, and so on.

use crate::algebra::Algebra;
use crate::simd::Real;
use crate::state::State;
use crate::tree::{Limit, Tree};

/// The `k`-th joint beyond its limit of each lane.
#[derive(Clone, Copy)]
pub(crate) struct Stop<R> {
    /// How far it is from the limit: negative beyond it.
    pub(crate) room: R,
    pub(crate) limits: [Limit; 8],
    /// 1 at the lower limit, −1 at the upper.
    pub(crate) sides: R,
    /// Bit `i`: coordinate `i` is beyond its limit in some lane.
    pub(crate) coordinates: u64,
    pub(crate) ways: [u64; 8],
    pub(crate) valid: u8,
}

/// All of them.
pub(crate) struct Stops<R> {
    pub(crate) list: Vec<Stop<R>>,
}

impl<R: Real> Stops<R> {
    pub(crate) fn new(tree: &Tree) -> Self {
        Stops { list: Vec::with_capacity(2 * tree.limits.len()) }
    }

    /// The lanes in which a joint is beyond a limit.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        self.list.first().map_or(0, |stop| stop.valid)
    }

    /// Limits of each lane in the order in which Bullet's solver meets them.
    #[inline(always)]
    pub(crate) fn collect<A: Algebra>(&mut self, tree: &Tree, state: &State<A, R>, active: u8) {
        self.list.clear();
        let mut places = [0; 8];
        for limit in &tree.limits {
            let position = state.joints[limit.coordinate].position;
            let below = position - R::splat(limit.lower);
            let above = R::splat(limit.upper) - position;
            for (room, side) in [(below, 1.0), (above, -1.0)] {
                let beyond = active & !R::bits(room.gt(R::zero()));
                if beyond == 0 {
                    continue;
                }
                for lane in (0..R::LANES).filter(|lane| beyond >> lane & 1 != 0) {
                    if places[lane] == self.list.len() {
                        self.list.push(Stop {
                            room,
                            limits: [*limit; 8],
                            sides: R::zero(),
                            coordinates: 0,
                            ways: [0; 8],
                            valid: 0,
                        });
                    }
                    let stop = &mut self.list[places[lane]];
                    stop.room.lanes_mut()[lane] = room.lanes()[lane];
                    stop.limits[lane] = *limit;
                    stop.sides.lanes_mut()[lane] = side;
                    stop.coordinates |= 1 << (A::BASE + limit.coordinate);
                    stop.ways[lane] = tree.links[limit.link].way;
                    stop.valid |= 1 << lane;
                    places[lane] += 1;
                }
            }
        }
    }
}

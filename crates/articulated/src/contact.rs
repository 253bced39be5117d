//! Contact points of all lanes, packed: entry `k` has the `k`-th point of each lane.

use crate::algebra::Algebra;
use crate::manifold::MAX_POINTS;
use crate::multibody::MultiBody;
use crate::simd::Real;
use crate::sort::quick_sort;
use crate::state::State;

/// The `k`-th contact point of each lane.
#[derive(Clone, Copy)]
pub(crate) struct Contact<A: Algebra, R: Real> {
    pub(crate) at: A::Point<R>,
    pub(crate) friction: R,
    pub(crate) chains: [u64; 8],
    /// The lanes that have a `k`-th point.
    pub(crate) valid: u8,
}

/// All contact points of a substep.
pub(crate) struct Contacts<A: Algebra, R: Real> {
    pub(crate) list: Vec<Contact<A, R>>,
    /// Shapes that touch the floor in one lane.
    touching: Vec<usize>,
}

impl<A: Algebra, R: Real> Contacts<A, R> {
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        Contacts {
            list: Vec::with_capacity(MAX_POINTS * multibody.colliders.len()),
            touching: Vec::with_capacity(multibody.colliders.len()),
        }
    }

    /// The lanes that touch the floor.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        self.list.first().map_or(0, |contact| contact.valid)
    }

    /// Collects the contact points of each lane, in the order in which `btSimulationIslandManager`
    /// passes the manifolds to the solver.
    #[inline(always)]
    pub(crate) fn collect(&mut self, multibody: &MultiBody, state: &State<A, R>, active: u8) {
        self.list.clear();
        for lane in (0..R::LANES).filter(|lane| active >> lane & 1 != 0) {
            self.order_touching(multibody, state, lane);
            let mut slot = 0;
            for &collider in &self.touching {
                let manifold = &state.manifolds[collider];
                let chain = multibody.colliders[collider]
                    .node
                    .checked_sub(1)
                    .map_or(0, |i| multibody.links[i].chain);
                for point in &manifold.points[..usize::from(manifold.counts[lane])] {
                    if slot == self.list.len() {
                        self.list.push(Contact {
                            at: point.position,
                            friction: R::zero(),
                            chains: [0; 8],
                            valid: 0,
                        });
                    }
                    let contact = &mut self.list[slot];
                    for (to, from) in contact.at.as_mut().iter_mut().zip(point.position.as_ref()) {
                        to.lanes_mut()[lane] = from.lanes()[lane];
                    }
                    contact.friction.lanes_mut()[lane] = multibody.colliders[collider].friction;
                    contact.chains[lane] = chain;
                    contact.valid |= 1 << lane;
                    slot += 1;
                }
            }
        }
    }

    /// Sorts the shapes with contact points by link.
    ///
    /// Bullet's sort is not stable, so the order of two shapes of one link depends on how many
    /// shapes touch the floor.
    #[inline(always)]
    fn order_touching(&mut self, multibody: &MultiBody, state: &State<A, R>, lane: usize) {
        self.touching.clear();
        let is_touching = |&collider: &usize| state.manifolds[collider].counts[lane] != 0;
        self.touching.extend((0..multibody.colliders.len()).filter(is_touching));
        let node = |collider: usize| multibody.colliders[collider].node;
        // Shapes are stored with the last link first. Without equal keys any sort gives the
        // reverse.
        if self.touching.windows(2).any(|pair| node(pair[0]) == node(pair[1])) {
            quick_sort(&mut self.touching, node);
        } else {
            self.touching.reverse();
        }
    }
}

//! Violated joint limits of all lanes, packed: entry `k` has the `k`-th one of each lane.

use crate::algebra::Algebra;
use crate::multibody::{JointLimit, MultiBody};
use crate::simd::Real;
use crate::state::State;

/// The `k`-th violated limit of each lane.
#[derive(Clone, Copy)]
pub(crate) struct ViolatedLimit<R> {
    /// The distance to the limit, negative beyond it (`getPosition`).
    pub(crate) distance: R,
    pub(crate) limits: [JointLimit; 8],
    /// 1 at the lower limit, −1 at the upper.
    pub(crate) directions: R,
    /// Bit `i`: coordinate `i` is beyond its limit in some lane.
    pub(crate) coordinates: u64,
    pub(crate) chains: [u64; 8],
    pub(crate) valid: u8,
}

/// All violated limits of a substep.
pub(crate) struct ViolatedLimits<R> {
    pub(crate) list: Vec<ViolatedLimit<R>>,
}

impl<R: Real> ViolatedLimits<R> {
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        ViolatedLimits { list: Vec::with_capacity(2 * multibody.limits.len()) }
    }

    /// The lanes in which a joint is beyond a limit.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        self.list.first().map_or(0, |violated| violated.valid)
    }

    /// Collects the violated limits of each lane, in the order of the solver's rows.
    ///
    /// Mirrors the loop of `btMultiBodyJointLimitConstraint::createConstraintRows`: the lower limit
    /// before the upper. A distance of exactly zero counts as violated; Bullet skips only positive
    /// ones.
    #[inline(always)]
    pub(crate) fn collect<A: Algebra>(
        &mut self,
        multibody: &MultiBody,
        state: &State<A, R>,
        active: u8,
    ) {
        self.list.clear();
        let mut slots = [0; 8];
        for limit in &multibody.limits {
            let position = state.joints[limit.coordinate].position;
            let below = position - R::splat(limit.lower);
            let above = R::splat(limit.upper) - position;
            for (distance, direction) in [(below, 1.0), (above, -1.0)] {
                let beyond = active & !R::bits(distance.gt(R::zero()));
                if beyond == 0 {
                    continue;
                }
                for lane in (0..R::LANES).filter(|lane| beyond >> lane & 1 != 0) {
                    if slots[lane] == self.list.len() {
                        self.list.push(ViolatedLimit {
                            distance,
                            limits: [*limit; 8],
                            directions: R::zero(),
                            coordinates: 0,
                            chains: [0; 8],
                            valid: 0,
                        });
                    }
                    let violated = &mut self.list[slots[lane]];
                    violated.distance.lanes_mut()[lane] = distance.lanes()[lane];
                    violated.limits[lane] = *limit;
                    violated.directions.lanes_mut()[lane] = direction;
                    violated.coordinates |= 1 << (A::BASE + limit.coordinate);
                    violated.chains[lane] = multibody.links[limit.link].chain;
                    violated.valid |= 1 << lane;
                    slots[lane] += 1;
                }
            }
        }
    }
}

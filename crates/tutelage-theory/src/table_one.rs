//! Table 1 as a whole: every player at every horizon, and the exponents of the annotations.

use rayon::prelude::*;

use crate::complexity::{
    AnnotationsNeeded, GapPoint, MeasurementLimits, annotations_needed, complexity_exponents,
    gap_curve,
};
use crate::fit::Slope;
use crate::{ImitationProblem, Player, TheoryError};

/// A row of Table 1, measured at one horizon.
#[derive(Clone, Debug)]
pub struct TableOneRow {
    /// The player.
    pub player: Player,
    /// The problem, or the first of several that differ in their seed.
    pub problem: ImitationProblem,
    /// The gaps at growing numbers of annotations.
    pub curve: Vec<GapPoint>,
}

/// The growth of C(ε) with H and 1/ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComplexityExponents {
    /// The exponents for a true cost gap of at most ε.
    pub cost: [Option<Slope>; 2],
    /// The exponents for a guarantee of at most ε.
    pub guarantee: [Option<Slope>; 2],
    /// The number of (H, ε) in the fit of `cost`.
    pub points: usize,
}

impl TableOneRow {
    /// H.
    pub fn horizon(&self) -> usize {
        self.problem.mdp.horizon()
    }

    /// The annotations for a true cost gap of at most ε.
    pub fn needed(&self, epsilon: f64) -> Option<AnnotationsNeeded> {
        self.needed_by(epsilon, |point| point.cost_gap.value)
    }

    /// The annotations for a guarantee (EstGap; for BC H² times its excess loss) of at most ε.
    pub fn needed_by_guarantee(&self, epsilon: f64) -> Option<AnnotationsNeeded> {
        self.needed_by(epsilon, |point| point.guarantee.value)
    }

    fn needed_by(&self, epsilon: f64, gap: fn(&GapPoint) -> f64) -> Option<AnnotationsNeeded> {
        let points = self.curve.iter().map(|point| (point.annotations as f64, gap(point)));
        annotations_needed(&points.collect::<Vec<_>>(), epsilon)
    }
}

/// Measures all players on problems grouped by horizon; `seen` receives every row when it is done.
///
/// Rows are returned by player, then by horizon. The longest horizon is measured first, because it
/// takes longest.
pub fn table_one(
    problems: &[Vec<ImitationProblem>],
    players: &[Player],
    limits: &MeasurementLimits,
    seen: &(dyn Fn(&TableOneRow) + Sync),
) -> Result<Vec<TableOneRow>, TheoryError> {
    let mut groups: Vec<&[ImitationProblem]> = problems.iter().map(Vec::as_slice).collect();
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].mdp.horizon()));
    let jobs: Vec<(&[ImitationProblem], Player)> = groups
        .iter()
        .flat_map(|group| players.iter().map(move |&player| (*group, player)))
        .collect();
    let one = |(problems, player): (&[ImitationProblem], Player)| {
        let curve = gap_curve(problems, player, limits)?;
        let row = TableOneRow { player, problem: problems[0].clone(), curve };
        seen(&row);
        Ok(row)
    };
    let mut rows = jobs.into_par_iter().map(one).collect::<Result<Vec<_>, TheoryError>>()?;
    let place = |row: &TableOneRow| players.iter().position(|player| *player == row.player);
    rows.sort_by_key(|row| (place(row), row.horizon()));
    Ok(rows)
}

/// The exponents of a player's annotations over these gaps.
pub fn growth(rows: &[TableOneRow], player: Player, epsilons: &[f64]) -> ComplexityExponents {
    let fit = |needed: fn(&TableOneRow, f64) -> Option<AnnotationsNeeded>| {
        let own = rows.iter().filter(|row| row.player == player);
        let pairs = own.flat_map(|row| epsilons.iter().map(move |&epsilon| (row, epsilon)));
        let points = pairs
            .filter_map(|(row, epsilon)| Some((row.horizon(), epsilon, needed(row, epsilon)?)));
        complexity_exponents(&points.collect::<Vec<_>>())
    };
    let (cost, points) = fit(TableOneRow::needed);
    ComplexityExponents { cost, guarantee: fit(TableOneRow::needed_by_guarantee).0, points }
}

/// The number of (H, ε) at which no player needs fewer annotations than this one, and the number at
/// which any player reaches ε.
pub fn fewest(rows: &[TableOneRow], player: Player, epsilons: &[f64]) -> (usize, usize) {
    let needed = |row: &TableOneRow, epsilon: f64| match row.needed(epsilon)? {
        AnnotationsNeeded::AtMost(n) | AnnotationsNeeded::About(n) => Some(n),
        AnnotationsNeeded::MoreThan(_) => None,
    };
    let (mut won, mut reached) = (0, 0);
    for row in rows.iter().filter(|row| row.player == player) {
        let rivals = || rows.iter().filter(|rival| rival.horizon() == row.horizon());
        for &epsilon in epsilons {
            let best = rivals().filter_map(|rival| needed(rival, epsilon)).reduce(f64::min);
            reached += usize::from(best.is_some());
            won += usize::from(best.is_some() && needed(row, epsilon) == best);
        }
    }
    (won, reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lambda, Mean, ledge};

    #[test]
    fn rows_are_ordered_and_have_both_gaps() {
        let problems = [6, 3].map(|h| vec![ledge(h, 1).unwrap()]);
        let players = [Player::Bc, Player::MftplP(Lambda::Rate(0.1))];
        let limits = MeasurementLimits {
            max_rounds: 32,
            max_demonstrations: 64,
            max_members: 5,
            seeds: vec![1],
            min_gap: 0.01,
        };
        let rows = table_one(&problems, &players, &limits, &|_| ()).unwrap();
        let order: Vec<_> = rows.iter().map(|row| (row.player, row.horizon())).collect();
        let [bc, mftpl_p] = players;
        assert_eq!(order, [(bc, 3), (bc, 6), (mftpl_p, 3), (mftpl_p, 6)]);
        let last = rows[3].curve.last().unwrap();
        assert_eq!(last.annotations, 32);
        assert!(last.guarantee.value > last.cost_gap.value, "EstGap bounds the gap: {last:?}");
        assert_eq!(growth(&rows, bc, &[0.5]).points, 0, "too few annotations for a fit");
    }

    #[test]
    fn wins_are_counted_if_any_player_reaches_the_gap() {
        let point = |annotations, gap| {
            let gap = Mean { value: gap, error: 0.0 };
            GapPoint { annotations, cost_gap: gap, guarantee: gap }
        };
        let row = |player, last| TableOneRow {
            player,
            problem: ledge(3, 1).unwrap(),
            curve: vec![point(4, 1.0), point(8, last)],
        };
        let rows = [row(Player::Bc, 0.1), row(Player::Dagger, 0.4)];
        // All reach ε = 2 at once and 0.5 (BC first); only BC reaches 0.2; none reaches 0.01.
        let epsilons = [2.0, 0.5, 0.2, 0.01];
        assert_eq!(fewest(&rows, Player::Bc, &epsilons), (3, 3));
        assert_eq!(fewest(&rows, Player::Dagger, &epsilons), (1, 3));
    }
}

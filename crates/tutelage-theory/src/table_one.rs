//! Table 1 as a whole: every contender at every horizon, and the exponents of what it needed.

use rayon::prelude::*;

use crate::complexity::{
    AnnotationsNeeded, Contender, GapPoint, MIN_FITTED_ANNOTATIONS, MeasurementLimits,
    annotations_needed, complexity_exponents, gap_curve,
};
use crate::fit::Slope;
use crate::{ImitationProblem, PlayError};

/// One line of Table 1, measured at one horizon.
#[derive(Clone, Debug)]
pub struct TableOneRow {
    /// Who.
    pub contender: Contender,
    /// The problem, or the first of several that differ by their seed.
    pub problem: ImitationProblem,
    /// What growing numbers of annotations achieve.
    pub curve: Vec<GapPoint>,
}

/// How C(ε) grows with H and 1/ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComplexityExponents {
    /// Exponents for a true cost gap of at most ε.
    pub cost: [Option<Slope>; 2],
    /// Exponents for a guarantee of at most ε.
    pub guarantee: [Option<Slope>; 2],
    /// How many (H, ε) the former are fitted to.
    pub points: usize,
}

impl TableOneRow {
    /// H.
    pub fn horizon(&self) -> usize {
        self.problem.mdp.horizon()
    }

    /// The annotations for a true cost gap of at most ε.
    pub fn needed(&self, epsilon: f64) -> Option<AnnotationsNeeded> {
        annotations_needed(&self.points(|point| point.cost_gap.value), epsilon)
    }

    /// The annotations for a guarantee (EstGap; for BC H² times its excess loss) of at most ε.
    pub fn needed_by_guarantee(&self, epsilon: f64) -> Option<AnnotationsNeeded> {
        annotations_needed(&self.points(|point| point.guarantee.value), epsilon)
    }

    fn points(&self, gap: impl Fn(&GapPoint) -> f64) -> Vec<(f64, f64)> {
        self.curve.iter().map(|point| (point.annotations as f64, gap(point))).collect()
    }
}

/// Measures all contenders on problems grouped by horizon; `seen` hears of every line as it is finished.
///
/// Lines come back by contender, then by horizon; they are measured the longest horizon first, because that takes longest.
pub fn table_one(
    problems: &[Vec<ImitationProblem>],
    contenders: &[Contender],
    effort: &MeasurementLimits,
    seen: &(dyn Fn(&TableOneRow) + Sync),
) -> Result<Vec<TableOneRow>, PlayError> {
    let mut groups: Vec<&[ImitationProblem]> = problems.iter().map(Vec::as_slice).collect();
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| std::cmp::Reverse(group[0].mdp.horizon()));
    let jobs: Vec<(&[ImitationProblem], Contender)> =
        groups.iter().flat_map(|group| contenders.iter().map(move |&c| (*group, c))).collect();
    let one = |(problems, contender): (&[ImitationProblem], Contender)| {
        let curve = gap_curve(problems, contender, effort, &|_| ())?;
        let line = TableOneRow { contender, problem: problems[0].clone(), curve };
        seen(&line);
        Ok(line)
    };
    let mut lines = jobs.into_par_iter().map(one).collect::<Result<Vec<_>, PlayError>>()?;
    let place = |line: &TableOneRow| contenders.iter().position(|c| *c == line.contender);
    lines.sort_by_key(|line| (place(line), line.horizon()));
    Ok(lines)
}

/// The exponents of what a contender needed for these gaps.
pub fn growth(
    lines: &[TableOneRow],
    contender: Contender,
    epsilons: &[f64],
) -> ComplexityExponents {
    let points = |needed: &dyn Fn(&TableOneRow, f64) -> Option<AnnotationsNeeded>| {
        let mine = lines.iter().filter(|line| line.contender == contender);
        let pairs = mine.flat_map(|line| epsilons.iter().map(move |&epsilon| (line, epsilon)));
        let points = pairs
            .filter_map(|(line, epsilon)| Some((line.horizon(), epsilon, needed(line, epsilon)?)));
        points.collect::<Vec<_>>()
    };
    let by_cost = points(&|line, epsilon| line.needed(epsilon));
    let by_guarantee = points(&|line, epsilon| line.needed_by_guarantee(epsilon));
    let fitted = |needed: &AnnotationsNeeded| matches!(needed, AnnotationsNeeded::About(n) if *n >= MIN_FITTED_ANNOTATIONS);
    ComplexityExponents {
        cost: complexity_exponents(&by_cost),
        guarantee: complexity_exponents(&by_guarantee),
        points: by_cost.iter().filter(|(.., needed)| fitted(needed)).count(),
    }
}

/// At how many (H, ε) nobody needed fewer annotations than this contender, and at how many somebody reached ε at all.
pub fn fewest(lines: &[TableOneRow], contender: Contender, epsilons: &[f64]) -> (usize, usize) {
    let needed = |line: &TableOneRow, epsilon: f64| match line.needed(epsilon)? {
        AnnotationsNeeded::AtMost(annotations) | AnnotationsNeeded::About(annotations) => {
            Some(annotations)
        }
        AnnotationsNeeded::MoreThan(_) => None,
    };
    let (mut won, mut reached) = (0, 0);
    for line in lines.iter().filter(|line| line.contender == contender) {
        let rivals = || lines.iter().filter(|rival| rival.horizon() == line.horizon());
        for &epsilon in epsilons {
            let best = rivals().filter_map(|rival| needed(rival, epsilon)).reduce(f64::min);
            reached += usize::from(best.is_some());
            won += usize::from(best.is_some() && needed(line, epsilon) == best);
        }
    }
    (won, reached)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lambda, ledge};

    #[test]
    fn lines_come_back_in_order_and_with_both_gaps() {
        let problems: Vec<Vec<ImitationProblem>> =
            [6, 3].map(|h| vec![ledge(h, 1).unwrap()]).to_vec();
        let contenders = [Contender::Bc, Contender::MftplP(Lambda::Rate(0.1))];
        let effort = MeasurementLimits {
            max_rounds: 32,
            max_demonstrations: 64,
            max_members: 5,
            seeds: vec![1],
            min_gap: 0.01,
        };
        let lines = table_one(&problems, &contenders, &effort, &|_| ()).unwrap();
        let order: Vec<_> = lines.iter().map(|line| (line.contender, line.horizon())).collect();
        let [bc, mftpl_p] = contenders;
        assert_eq!(order, [(bc, 3), (bc, 6), (mftpl_p, 3), (mftpl_p, 6)]);
        let last = lines[3].curve.last().unwrap();
        assert_eq!(last.annotations, 32);
        assert!(
            last.guarantee.value > last.cost_gap.value,
            "EstGap bounds the cost gap here: {last:?}"
        );
        assert_eq!(growth(&lines, bc, &[0.5]).points, 0, "nothing needed as many as are fitted");
    }

    #[test]
    fn the_fewest_are_counted_where_anybody_got_there() {
        let mean = |value| crate::Mean { value, error: 0.0 };
        let point =
            |annotations, gap| GapPoint { annotations, cost_gap: mean(gap), guarantee: mean(gap) };
        let line = |contender, last| TableOneRow {
            contender,
            problem: ledge(3, 1).unwrap(),
            curve: vec![point(4, 1.0), point(8, last)],
        };
        let lines = [line(Contender::Bc, 0.1), line(Contender::Dagger, 0.4)];
        // ε = 2 at once, 0.5 by both (BC sooner), 0.2 by BC alone, 0.01 by nobody.
        let epsilons = [2.0, 0.5, 0.2, 0.01];
        assert_eq!(fewest(&lines, Contender::Bc, &epsilons), (3, 3));
        assert_eq!(fewest(&lines, Contender::Dagger, &epsilons), (1, 3));
    }
}

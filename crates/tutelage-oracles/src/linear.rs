//! Least squares: affine policies by the Moore–Penrose pseudo-inverse.

use rayon::prelude::*;
use tutelage::oracle::{DurableOracle, TrainingSets, View};
use tutelage::{Oracle, OracleError, Spaces, Stream};
use tutelage_net::{AlignedVec, Isa, Layout, Network};

use crate::mlp::{EncodedData, Examples, MlpPolicy, PolicyClassFormat};
use crate::pseudo_inverse::{ColumnMatrix, solve};
use crate::standardize::Standardize;

/// The learning oracle 𝒪 for affine policies `a = clip(xW + b)`: ordinary least squares.
///
/// `[W; b] = X⁺Y`, where the rows of `X` are `[x, 1]`, the rows of `Y` are the labels, and `X⁺` is the
/// pseudo-inverse, computed in f64. Labels beyond [-1, 1] are not clipped: an affine policy that is
/// fitted to clipped labels acts too weakly. If the rows do not determine the solution, the
/// minimum-norm solution is used (on standardized states if states are standardized). Singular values
/// up to `ε·max(rows, columns)·σ_max` count as zero. If D is empty, all policies are zero: the paper's
/// π₁.
///
/// ```
/// use tutelage::{Batch, Dataset, Oracle, Policy, Spaces, Stream};
/// use tutelage::choice::TrainOn;
/// use tutelage::oracle::TrainingSets;
/// use tutelage_oracles::LeastSquares;
///
/// // a = x / 2
/// let spaces = Spaces { states: 1, actions: 1 };
/// let mut data = Dataset::empty(spaces);
/// for x in [-1.0, 0.0, 1.0] {
///     data.states.push(&[x]);
///     data.actions.push(&[x / 2.0]);
/// }
/// let sets = TrainingSets::new(&data, TrainOn::Data, spaces, 1, Stream::new(1))?;
/// let policy = LeastSquares::default().fit(&sets, &Stream::new(2))?;
///
/// let mut actions = Batch::zeros(1, 1);
/// policy.act_mean(&Batch::from_vec(1, vec![0.5])?, &mut actions)?;
/// assert!((actions.row(0)[0] - 0.25).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeastSquares {
    /// Whether states are standardized.
    pub standardize: Standardize,
}

impl LeastSquares {
    /// The name of the solver, which is part of a run's identity.
    ///
    /// Another solver would differ in the last bits, so it must have another name.
    pub const SOLVER: &'static str = "qr-jacobi";
}

/// The singular value decomposition of a member's data did not converge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the singular value decomposition of member {member} ({rows} rows) did not converge")]
pub struct SvdFailed {
    /// The index of the member.
    pub member: usize,
    /// The number of distinct rows.
    pub rows: usize,
}

impl Oracle for LeastSquares {
    type State = f32;
    type Action = f32;
    type Policy = MlpPolicy;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        _stream: &Stream,
    ) -> Result<MlpPolicy, OracleError> {
        if sets.members() == 0 {
            return Err(OracleError::NoMembers);
        }
        let spaces = sets.spaces();
        let data = EncodedData::new(sets.data(), spaces, self.standardize)?;
        let network = Network::new(&[spaces.states, spaces.actions]).map_err(OracleError::other)?;
        let fit = |member| fit_member(network.layout(), &data, sets.view(member), member);
        let members: Result<Vec<_>, _> = match sets.data().is_empty() {
            true => Ok(vec![network.layout().zeros(); sets.members()]),
            false if matches!(sets.view(0), View::All) => {
                fit(0).map(|params| vec![params; sets.members()])
            }
            false => (0..sets.members()).into_par_iter().map(fit).collect(),
        };
        Ok(MlpPolicy::new(network, members?, data.standardizer))
    }
}

impl DurableOracle for LeastSquares {
    fn describe(&self) -> String {
        // Stored runs are compared by this text, so it must never change.
        let states = self.standardize.describe();
        format!("LeastSquares {{ states: {states} }} by {}", Self::SOLVER)
    }

    fn encode(&self, policy: &MlpPolicy) -> Result<Vec<u8>, OracleError> {
        policy.to_safetensors().map_err(OracleError::other)
    }

    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<MlpPolicy, OracleError> {
        let class =
            PolicyClassFormat { hidden: &[], standardize: self.standardize, isa: Isa::detect() };
        class.read(bytes, spaces).map_err(OracleError::other)
    }
}

fn fit_member(
    layout: &Layout,
    data: &EncodedData<'_, f32>,
    mut view: View<f32, f32>,
    member: usize,
) -> Result<AlignedVec, OracleError> {
    let (examples, rows) = Examples::of_view(data, &mut view)?;
    let (x, y) = weighted_rows(layout, &examples, rows);
    let rows = x[0].len();
    let solution = solve(x, y).ok_or_else(|| OracleError::other(SvdFailed { member, rows }))?;
    let inputs = layout.inputs();
    let row = |i: usize| solution.iter().map(move |column| column[i] as f32);
    let weights: Vec<f32> = (0..inputs).flat_map(row).collect();
    let mut params = layout.zeros();
    layout.set_dense(&mut params, 0, &weights, &row(inputs).collect::<Vec<_>>());
    Ok(params)
}

/// Returns the columns of the rows `√n·[x, 1]` and `√n·y` for each example that is listed `n` times.
///
/// The sums of squares equal those of the repeated rows.
fn weighted_rows(
    layout: &Layout,
    examples: &Examples<'_, f32>,
    mut rows: Vec<u32>,
) -> (ColumnMatrix, ColumnMatrix) {
    rows.sort_unstable();
    let runs: Vec<(u32, f64)> =
        rows.chunk_by(|a, b| a == b).map(|run| (run[0], (run.len() as f64).sqrt())).collect();
    let column = |value: &dyn Fn(u32) -> f32| -> Vec<f64> {
        runs.iter().map(|&(row, root)| root * f64::from(value(row))).collect()
    };
    let states = (0..layout.inputs()).map(|j| column(&|row| examples.get(row).0[j]));
    let labels = (0..layout.outputs()).map(|j| column(&|row| examples.get(row).1[j]));
    (states.chain([column(&|_| 1.0)]).collect(), labels.collect())
}

#[cfg(test)]
mod tests {

    use tutelage::check::check_oracle;
    use tutelage::choice::TrainOn;
    use tutelage::cover::UniformBox;
    use tutelage::oracle::TrainingSpec;
    use tutelage::space::SpaceError;
    use tutelage::{Batch, Dataset, Inputs, Policy};

    use super::*;

    fn data(states: &[&[f32]], labels: &[&[f32]]) -> Dataset<f32, f32> {
        let batch = |rows: &[&[f32]]| Batch::from_vec(rows[0].len(), rows.concat()).unwrap();
        Dataset { states: batch(states), actions: batch(labels) }
    }

    fn fit(
        data: &Dataset<f32, f32>,
        members: usize,
        spec: impl Into<TrainingSpec<'static, f32, f32>>,
    ) -> Result<MlpPolicy, OracleError> {
        let spaces = Spaces { states: data.states.width(), actions: data.actions.width() };
        let sets = TrainingSets::new(data, spec.into(), spaces, members, Stream::new(1));
        let sets = sets.unwrap();
        LeastSquares::default().fit(&sets, &Stream::new(2))
    }

    fn weights(data: &Dataset<f32, f32>) -> (Vec<f32>, Vec<f32>) {
        let policy = fit(data, 1, TrainOn::Data).unwrap();
        policy.network().layout().dense(&policy.parameters()[0], 0)
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        assert!(
            found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-6),
            "{found:?} against {expected:?}"
        );
    }

    #[test]
    fn affine_experts_are_recovered_exactly() {
        // a = (0.5 x₁ − 0.25 x₂ + 0.125, −x₂)
        let d = data(
            &[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[0.5, 0.5]],
            &[&[0.125, 0.0], &[0.625, 0.0], &[-0.125, -1.0], &[0.25, -0.5]],
        );
        let (w, b) = weights(&d);
        assert_close(&w, &[0.5, 0.0, -0.25, -1.0]);
        assert_close(&b, &[0.125, 0.0]);
    }

    #[test]
    fn underdetermined_systems_give_the_minimum_norm() {
        // One row [x, 1] = [1, 2, 2, 1] with label 0.5: the solution is 0.5·[x, 1] / |[x, 1]|² = 0.05·[1, 2, 2, 1].
        let (w, b) = weights(&data(&[&[1.0, 2.0, 2.0]], &[&[0.5]]));
        assert_close(&w, &[0.05, 0.1, 0.1]);
        assert_close(&b, &[0.05]);
    }

    #[test]
    fn dependent_columns_share_the_weight() {
        // x₂ = 2x₁ always, a = x₁: the least norm on w₁ + 2w₂ = 1 is (1, 2)/5.
        let rows: Vec<[f32; 2]> = [-0.5, 0.25, 0.5, 1.0].map(|x| [x, 2.0 * x]).to_vec();
        let states: Vec<&[f32]> = rows.iter().map(|r| &r[..]).collect();
        let labels: Vec<&[f32]> = rows.iter().map(|r| &r[..1]).collect();
        let (w, b) = weights(&data(&states, &labels));
        assert_close(&w, &[0.2, 0.4]);
        assert_close(&b, &[0.0]);
    }

    #[test]
    fn constant_columns_share_weight_with_the_intercept() {
        // x = [1, 0] always, a = 0.6: w₁ + b = 0.6 with least norm is 0.3 each.
        let (w, b) = weights(&data(&[&[1.0, 0.0], &[1.0, 0.0]], &[&[0.6], &[0.6]]));
        assert_close(&w, &[0.3, 0.0]);
        assert_close(&b, &[0.3]);
    }

    #[test]
    fn repeated_rows_are_weighted() {
        // Labels 0 and 1 in the same state: drawn n₀ and n₁ times, the fit is n₁/(n₀ + n₁).
        let d = data(&[&[0.0], &[0.0], &[0.0], &[0.0]], &[&[0.0], &[1.0], &[1.0], &[1.0]]);
        let policy = fit(&d, 5, TrainOn::Bootstrap).unwrap();
        let spaces = Spaces { states: 1, actions: 1 };
        let sets = TrainingSets::new(&d, TrainOn::Bootstrap, spaces, 5, Stream::new(1)).unwrap();
        for e in 0..5 {
            let View::Resampled(rows) = sets.view(e) else { panic!("not a bootstrap") };
            let share = rows.iter().filter(|r| **r > 0).count() as f32 / 4.0;
            assert_close(&policy.network().layout().dense(&policy.parameters()[e], 0).1, &[share]);
        }
    }

    #[test]
    fn labels_are_not_clipped_but_actions_are() {
        let d = data(&[&[-1.0], &[1.0]], &[&[-3.0], &[3.0]]);
        assert_close(&weights(&d).0, &[3.0]);
        let policy = fit(&d, 1, TrainOn::Data).unwrap();
        let mut actions = Batch::zeros(1, 1);
        policy.act_mean(&Batch::from_vec(1, vec![5.0]).unwrap(), &mut actions).unwrap();
        assert_eq!(actions.as_slice(), [1.0]);
    }

    #[test]
    fn empty_data_gives_zero_and_invalid_rows_are_errors() {
        let spaces = Spaces { states: 2, actions: 1 };
        let empty = Dataset::empty(spaces);
        let cover: &'static UniformBox = Box::leak(Box::new(UniformBox::new(-2.0, 2.0).unwrap()));
        let inputs = Inputs { cover: Some(cover), ..Inputs::none() };
        let train_on = TrainOn::Perturbed(tutelage::choice::PerturbationSize::Fixed(9));
        let policy = fit(&empty, 3, TrainingSpec { train_on, inputs, round: 1 }).unwrap();
        assert!(policy.parameters().iter().all(|p| p.iter().all(|x| *x == 0.0)));

        let bad = data(&[&[0.0, 1.0], &[0.0, f32::NAN]], &[&[0.0], &[0.0]]);
        let error = fit(&bad, 1, TrainOn::Data).unwrap_err();
        assert!(
            matches!(
                error,
                OracleError::Data {
                    what: "states",
                    source: SpaceError::Value { row: 1, index: 1, .. }
                }
            ),
            "{error}"
        );
        assert!(matches!(fit(&empty, 0, TrainOn::Data), Err(OracleError::NoMembers)));
    }

    #[test]
    fn passes_the_oracle_checks() {
        let d = data(&[&[0.1, 0.3], &[-0.4, 0.2], &[0.9, -0.7]], &[&[0.3], &[-2.0], &[0.4]]);
        let spaces = Spaces { states: 2, actions: 1 };
        for states in [Standardize::No, Standardize::Yes] {
            check_oracle(&LeastSquares { standardize: states }, &d, spaces, Stream::new(4))
                .unwrap();
        }
    }
}

//! The training of one member.

use rayon::join;
use tutelage::Stream;

use super::examples::Examples;
use super::gradient::{Gradient, Workspace};
use super::head::{Head, Loss};
use super::schedule::Minibatches;
use super::settings::MlpSettings;
use crate::net::passes::{transpose_weights, transposed_len};
use crate::net::simd::{Kernel, Simd, run};
use crate::net::{Adam, AlignedVec, BLOCK, Layout, Network};

/// Below this many multiply–adds per half a minibatch, handing a half to another thread costs more than it saves.
const WORTH_SHARING: usize = 200_000;

/// The parameters that training on these rows leaves: fresh ones, moved by Adam along minibatch gradients.
///
/// A minibatch is always cut into the same two halves, each with a gradient of its own, added in the same order; whether an idle
/// thread takes the second half therefore changes the time and not a single bit.
pub(crate) fn train<A: Head>(
    network: &Network,
    settings: &MlpSettings,
    (examples, rows): (&Examples<'_, A>, Vec<u32>),
    stream: &Stream,
) -> AlignedVec {
    let layout = network.layout();
    let mut params = initial(layout, stream);
    let iterations = settings.budget.iterations(rows.len(), settings.batch);
    let mut minibatches = Minibatches::new(rows, settings.batch, stream.fork("shuffle", 0).rng());
    let mut adam = Adam::new(settings.adam, layout.len(), network.isa());
    let mut transposed = AlignedVec::zeros(transposed_len(layout));
    let [mut first, mut second] = [Workspace::new(layout), Workspace::new(layout)];

    for _ in 0..iterations {
        let rows = minibatches.next();
        let (first_rows, second_rows) = rows.split_at(halfway(rows.len()));
        run(network.isa(), Transpose { layout, params: &params, transposed: &mut transposed });
        let scale = scale::<A>(rows.len(), layout.outputs());
        let half = |rows, workspace| {
            run(
                network.isa(),
                Gradient {
                    layout,
                    params: &params,
                    transposed: &transposed,
                    examples,
                    rows,
                    scale,
                    workspace,
                },
            );
        };
        if second_rows.len() * layout.weight_count() < WORTH_SHARING {
            half(first_rows, &mut first);
            half(second_rows, &mut second);
        } else {
            join(|| half(first_rows, &mut first), || half(second_rows, &mut second));
        }
        adam.step(&mut params, [&mut first.gradient, &mut second.gradient]);
    }
    params
}

/// Fresh parameters: orthogonal, gain √2 in hidden layers and 1 in the last.
pub(crate) fn initial(layout: &Layout, stream: &Stream) -> AlignedVec {
    layout.orthogonal(2f64.sqrt(), 1.0, &mut stream.fork("init", 0).rng())
}

/// Where the second half of a minibatch begins: at a whole block.
fn halfway(rows: usize) -> usize {
    if rows <= BLOCK { rows } else { rows.div_ceil(2) }
}

/// The loss is a mean over rows (and outputs, for squares); its constant factors meet the gradient here.
fn scale<A: Head>(rows: usize, outputs: usize) -> f32 {
    match A::LOSS {
        Loss::ClippedSquares => 2.0 / (rows * outputs) as f32,
        Loss::CrossEntropy => 1.0 / rows as f32,
    }
}

struct Transpose<'a> {
    layout: &'a Layout,
    params: &'a [f32],
    transposed: &'a mut [f32],
}

impl Kernel for Transpose<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        transpose_weights(self.layout, self.params, self.transposed);
    }
}

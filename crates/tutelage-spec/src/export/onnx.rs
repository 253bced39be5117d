//! Policies as ONNX models, which take raw observations and return actions in the task's units.
//!
//! The graph standardizes the observation and evaluates all members by products with stacked matrices `[E, in, out]`. The
//! output `action` is the members' mean or vote; `members` are their actions, whose spread is their disagreement.

use tutelage::{Bounds, Policy};
use tutelage_oracles::mlp::{Ensemble, OutputHead};
use tutelage_tasks::bullet::Normalizer;

use super::protobuf::Message;

/// The interface between a policy and an environment.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The width of an observation.
    pub observation: usize,
    /// The columns that the policy sees; `None` means all.
    pub columns: Option<Vec<usize>>,
    /// The normalizer of observations, if the policy does not standardize them itself.
    pub normaliser: Option<Normalizer>,
    /// The bounds of actions, if they are vectors.
    pub bounds: Bounds,
    /// The properties of the model.
    pub names: Vec<(String, String)>,
}

/// Versions of the format and of the operators that all common runtimes support.
const IR_VERSION: i64 = 8;
const OPERATORS: i64 = 17;
/// Kinds of element.
const FLOAT: i64 = 1;
const INT64: i64 = 7;
const DOUBLE: i64 = 11;
/// Kinds of attribute.
const INT: i64 = 2;
const INTS: i64 = 7;

/// The model's bytes.
pub fn onnx<A: OutputHead>(policy: &Ensemble<A>, interface: &Interface) -> Vec<u8> {
    let mut graph = Graph::default();
    let seen = graph.seen("observation", policy, interface);
    let outputs = graph.networks(&seen, policy);
    let size = policy.network().layout().outputs();
    let members = Some(policy.members());
    let results = if A::all(size).is_some() {
        graph.vote(&outputs, size);
        [value("action", INT64, &[None]), value("members", INT64, &[members, None])]
    } else {
        graph.mean(&outputs, &interface.bounds);
        [
            value("action", FLOAT, &[None, Some(size)]),
            value("members", FLOAT, &[members, None, Some(size)]),
        ]
    };
    let input = value("observation", FLOAT, &[None, Some(interface.observation)]);
    model(graph, input, results, &interface.names)
}

fn model(
    graph: Graph,
    input: Message,
    outputs: [Message; 2],
    names: &[(String, String)],
) -> Vec<u8> {
    let Graph { nodes, tensors, .. } = graph;
    let graph = Message::new()
        .messages(1, nodes)
        .text(2, "policy")
        .messages(5, tensors)
        .message(11, input)
        .messages(12, outputs);
    let names = names.iter().map(|(key, value)| Message::new().text(1, key).text(2, value));
    Message::new()
        .int(1, IR_VERSION)
        .text(2, "tutelage")
        .text(3, env!("CARGO_PKG_VERSION"))
        .message(7, graph)
        .message(8, Message::new().text(1, "").int(2, OPERATORS))
        .messages(14, names)
        .finish()
}

/// A dimension of a tensor, or `None` for the number of observations.
type Dim = Option<usize>;

/// The name and type of an input or output.
fn value(name: &str, element: i64, dims: &[Dim]) -> Message {
    let dim = |dim: &Dim| match dim {
        None => Message::new().text(2, "batch"),
        Some(size) => Message::new().int(1, *size as i64),
    };
    let shape = Message::new().messages(1, dims.iter().map(dim));
    let tensor = Message::new().int(1, element).message(2, shape);
    Message::new().text(1, name).message(2, Message::new().message(1, tensor))
}

/// A graph under construction.
#[derive(Default)]
struct Graph {
    nodes: Vec<Message>,
    tensors: Vec<Message>,
    /// The number of named values.
    named: usize,
}

impl Graph {
    /// The input of the networks.
    fn seen<A: OutputHead>(
        &mut self,
        from: &str,
        policy: &Ensemble<A>,
        interface: &Interface,
    ) -> String {
        let mut seen = from.to_owned();
        if let Some(columns) = &interface.columns {
            let columns = columns.iter().map(|&column| column as i64).collect::<Vec<_>>();
            let columns = self.indices(&columns);
            seen = self.node("Gather", &[&seen, &columns], vec![int("axis", 1)]);
        }
        if let Some(normaliser) = &interface.normaliser {
            seen = self.normalised(&seen, normaliser);
        }
        if let Some(standardiser) = policy.standardizer() {
            let width = standardiser.mean().len();
            let mean = self.floats(&[width], standardiser.mean());
            let scale = self.floats(&[width], standardiser.scale());
            let centred = self.node("Sub", &[&seen, &mean], vec![]);
            seen = self.node("Div", &[&centred, &scale], vec![]);
        }
        seen
    }

    /// `clip((s − mean) / √(var + 1e-8), −10, 10)` in double precision, as [`Normalizer`] computes it.
    fn normalised(&mut self, from: &str, normaliser: &Normalizer) -> String {
        let scale: Vec<f64> = normaliser.var().iter().map(|var| (var + 1e-8).sqrt()).collect();
        let mean = self.doubles(&[normaliser.width()], normaliser.mean());
        let scale = self.doubles(&[normaliser.width()], &scale);
        let [low, high] = [-10.0, 10.0].map(|end| self.doubles(&[], &[end]));
        let wide = self.node("Cast", &[from], vec![int("to", DOUBLE)]);
        let centred = self.node("Sub", &[&wide, &mean], vec![]);
        let scaled = self.node("Div", &[&centred, &scale], vec![]);
        let clipped = self.node("Clip", &[&scaled, &low, &high], vec![]);
        self.node("Cast", &[&clipped], vec![int("to", FLOAT)])
    }

    /// The outputs of all members, `[E, batch, out]`.
    fn networks<A: OutputHead>(&mut self, from: &str, policy: &Ensemble<A>) -> String {
        let (layout, members) = (policy.network().layout(), policy.members());
        let first = self.indices(&[0]);
        let mut hidden = self.node("Unsqueeze", &[from, &first], vec![]);
        let layers = layout.layers().len();
        for l in 0..layers {
            let dense: Vec<_> =
                policy.parameters().iter().map(|params| layout.dense(params, l)).collect();
            let [weights, biases]: [Vec<f32>; 2] = [
                dense.iter().flat_map(|(weights, _)| weights.iter().copied()).collect(),
                dense.iter().flat_map(|(_, biases)| biases.iter().copied()).collect(),
            ];
            let [inputs, outputs] = [layout.widths()[l], layout.widths()[l + 1]];
            let weights = self.floats(&[members, inputs, outputs], &weights);
            let biases = self.floats(&[members, 1, outputs], &biases);
            let product = self.node("MatMul", &[&hidden, &weights], vec![]);
            hidden = self.node("Add", &[&product, &biases], vec![]);
            if l + 1 < layers {
                hidden = self.node("Tanh", &[&hidden], vec![]);
            }
        }
        hidden
    }

    /// The mean of the clipped outputs, and each output, in the environment's units.
    fn mean(&mut self, outputs: &str, bounds: &Bounds) {
        let [low, high] = [-1.0, 1.0].map(|end| self.floats(&[], &[end]));
        let clipped = self.node("Clip", &[outputs, &low, &high], vec![]);
        let mean =
            self.node("ReduceMean", &[&clipped], vec![ints("axes", &[0]), int("keepdims", 0)]);
        self.in_own_units(&clipped, bounds, "members");
        self.in_own_units(&mean, bounds, "action");
    }

    fn in_own_units(&mut self, from: &str, bounds: &Bounds, to: &str) {
        let width = bounds.width();
        let ends = || bounds.low().iter().zip(bounds.high());
        let half: Vec<f32> = ends().map(|(low, high)| 0.5 * (high - low)).collect();
        let middle: Vec<f32> = ends().map(|(low, high)| low + 0.5 * (high - low)).collect();
        let [half, middle] = [half, middle].map(|values| self.floats(&[width], &values));
        let [low, high] = [bounds.low(), bounds.high()].map(|values| self.floats(&[width], values));
        let scaled = self.node("Mul", &[from, &half], vec![]);
        let shifted = self.node("Add", &[&scaled, &middle], vec![]);
        let above = self.node("Max", &[&shifted, &low], vec![]);
        self.node_named(to, "Min", &[&above, &high], vec![]);
    }

    /// The index that most members choose (the lowest on ties), and the members' indices.
    fn vote(&mut self, outputs: &str, size: usize) {
        let largest = |axis| vec![int("axis", axis), int("keepdims", 0)];
        self.node_named("members", "ArgMax", &[outputs], largest(2));
        let (depth, ends) = (self.indices(&[size as i64]), self.floats(&[2], &[0.0, 1.0]));
        let first = self.indices(&[0]);
        let ballots = self.node("OneHot", &["members", &depth, &ends], vec![]);
        let votes = self.node("ReduceSum", &[&ballots, &first], vec![int("keepdims", 0)]);
        self.node_named("action", "ArgMax", &[&votes], largest(1));
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("v{}", self.named)
    }

    fn node(&mut self, operator: &str, inputs: &[&str], attributes: Vec<Message>) -> String {
        let output = self.name();
        self.node_named(&output, operator, inputs, attributes);
        output
    }

    fn node_named(
        &mut self,
        output: &str,
        operator: &str,
        inputs: &[&str],
        attributes: Vec<Message>,
    ) {
        let node = Message::new().texts(1, inputs).text(2, output);
        let name = format!("{operator}_{output}");
        self.nodes.push(node.text(3, &name).text(4, operator).messages(5, attributes));
    }

    fn floats(&mut self, dims: &[usize], values: &[f32]) -> String {
        self.tensor(dims, FLOAT, values.iter().flat_map(|x| x.to_le_bytes()).collect())
    }

    fn doubles(&mut self, dims: &[usize], values: &[f64]) -> String {
        self.tensor(dims, DOUBLE, values.iter().flat_map(|x| x.to_le_bytes()).collect())
    }

    fn indices(&mut self, values: &[i64]) -> String {
        self.tensor(&[values.len()], INT64, values.iter().flat_map(|x| x.to_le_bytes()).collect())
    }

    fn tensor(&mut self, dims: &[usize], element: i64, bytes: Vec<u8>) -> String {
        let name = self.name();
        let tensor = Message::new().ints(1, dims.iter().map(|&dim| dim as i64));
        self.tensors.push(tensor.int(2, element).text(8, &name).bytes(9, &bytes));
        name
    }
}

fn int(name: &str, value: i64) -> Message {
    Message::new().text(1, name).int(3, value).int(20, INT)
}

fn ints(name: &str, values: &[i64]) -> Message {
    Message::new().text(1, name).ints(8, values.iter().copied()).int(20, INTS)
}

#[cfg(test)]
mod tests {
    use tutelage::choice::TrainOn;
    use tutelage::oracle::TrainingSets;
    use tutelage::{Dataset, Oracle, Spaces, Stream};
    use tutelage_oracles::LeastSquares;

    use super::*;

    fn interface() -> Interface {
        Interface {
            observation: 2,
            columns: None,
            normaliser: None,
            bounds: Bounds::new(vec![-2.0], vec![2.0]).unwrap(),
            names: vec![("task".into(), "pendulum".into())],
        }
    }

    // python/tests/test_onnx.py compares the model with the policy in a runtime.
    #[test]
    fn a_model_names_its_operators_inputs_outputs_and_task() {
        let spaces = Spaces { states: 2, actions: 1 };
        let data = Dataset::empty(spaces);
        let sets = TrainingSets::new(&data, TrainOn::Data, spaces, 3, Stream::new(1)).unwrap();
        let policy = LeastSquares::default().fit(&sets, &Stream::new(2)).unwrap();
        let bytes = onnx(&policy, &interface());
        let text = String::from_utf8_lossy(&bytes);
        for word in ["observation", "action", "members", "batch", "MatMul", "pendulum", "tutelage"]
        {
            assert!(text.contains(word), "{word}");
        }
        assert!(!text.contains("Tanh"), "an affine policy has no hidden layer");
        assert_eq!(bytes, onnx(&policy, &interface()));
    }
}

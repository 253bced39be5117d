//! A custom environment, taught by a person: an arm with three joints should touch a ball.
//!
//! ```sh
//! cargo run --release -p tutelage-teach --example own_world -- runs/arm
//! ```

use std::error::Error;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tutelage::algorithm::bootstrap_dagger;
use tutelage::rand::RngExt;
use tutelage::{
    Bounds, Env, EnvError, Inputs, Oracle, Rng, Sampling, Schedule, Spaces, Step, Stream,
    SyncVectorEnv,
};
use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};
use tutelage_oracles::mlp::{MlpOracle, MlpSettings, TrainingBudget};
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Keep, RunConfig, Silent, error_text, run_with_teacher};
use tutelage_teach::{
    About, Axis, Classroom, Controls, Person, PersonConfig, Server, ServerConfig, Token,
};

/// Three links of length 0.5 from the origin; the ball is within reach.
#[derive(Clone, Default)]
struct Arm {
    angles: [f64; 3],
    ball: [f64; 2],
    time: usize,
}

const LINK: f64 = 0.5;
const HORIZON: usize = 60;

impl Arm {
    /// The positions of the joints; the last one is the hand.
    fn joints(&self) -> [[f64; 2]; 4] {
        let (mut places, mut angle) = ([[0.0; 2]; 4], 0.0);
        for (i, turn) in self.angles.iter().enumerate() {
            angle += turn;
            let [x, y] = places[i];
            places[i + 1] = [x + LINK * angle.cos(), y + LINK * angle.sin()];
        }
        places
    }

    fn distance(&self) -> f64 {
        let [.., hand] = self.joints();
        (hand[0] - self.ball[0]).hypot(hand[1] - self.ball[1])
    }

    fn write(&self, state: &mut [f32]) {
        let [.., hand] = self.joints();
        let numbers = self.angles.iter().flat_map(|angle| [angle.sin(), angle.cos()]);
        let way = [self.ball[0] - hand[0], self.ball[1] - hand[1]];
        state.iter_mut().zip(numbers.chain(way)).for_each(|(to, from)| *to = from as f32);
    }
}

impl Env for Arm {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 8, actions: 3 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn bounds(&self) -> Bounds {
        Bounds::unit(3)
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        let (angle, far) = (rng.random_range(0.0..2.0 * PI), rng.random_range(0.4..1.4));
        *self = Self { angles: [0.0; 3], ball: [far * angle.cos(), far * angle.sin()], time: 0 };
        self.write(state);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.angles
            .iter_mut()
            .zip(action)
            .for_each(|(angle, &turn)| *angle += 0.2 * f64::from(turn));
        self.time += 1;
        self.write(state);
        let reward = 1.0 - self.distance().min(1.0);
        Ok(Step { reward, terminated: false, truncated: self.time == HORIZON })
    }
}

impl Render for Arm {
    fn render(&self) -> Drawing {
        let disc = |center, radius, ink| Mark::Circle { center, radius, ink };
        let mut marks = vec![disc(self.ball, 0.12, Ink::Orange)];
        marks.push(Mark::Line { points: self.joints().to_vec(), width: 0.08, ink: Ink::Blue });
        marks.extend(self.joints().map(|joint| disc(joint, 0.06, Ink::Dark)));
        let view = Rectangle { low: [-1.8, -1.8], high: [1.8, 1.8] };
        Picture { view, background: Ink::Field, marks }.into()
    }
}

fn about(folder: &Path, rounds: usize) -> About {
    let axis = |name: &str| Axis {
        name: name.into(),
        low_label: "clockwise".into(),
        high_label: "counter-clockwise".into(),
        low: -1.0,
        high: 1.0,
    };
    About {
        task: "arm".into(),
        aim: "touch the ball".into(),
        algorithm: "bd-3".into(),
        rounds,
        folder: folder.display().to_string(),
        controls: Controls::Axes(["shoulder", "elbow", "wrist"].map(axis).to_vec()),
        pace: 0.05,
        ..About::default()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().unwrap_or_else(|| "runs/arm".into()));
    let port = words.next().map_or(Ok(0), |port| port.parse())?;
    let config = RunConfig::<f32, f32> {
        algorithm: bootstrap_dagger(3, Sampling::Stride(7)),
        schedule: Schedule { rounds: 4, states_per_round: 12, stream: Stream::new(1) },
        inputs: Inputs::none(),
        episodes: 20,
        keep: Keep::All,
    };
    let settings =
        MlpSettings { budget: TrainingBudget::Iterations(1000), ..MlpSettings::new(&[32]) };
    let mut oracle = MlpOracle::new(settings)?;
    let room = Classroom::new(about(&folder, config.schedule.rounds));
    oracle.report_to(room.training());
    let server = Server::start(ServerConfig::local(port, Token::random()?), room.site())?;
    println!("Open this address in a browser: {}", server.url());

    let mut dir = RunDir::open(&folder, "task = \"arm\"\n", std::sync::Arc::new(OsDisk))?;
    let person = PersonConfig {
        stage: Box::new(|| Some(Box::new(Arm::default()))),
        schedule: config.schedule,
        algorithm: config.algorithm,
        repeat_every: 20,
        undo_time: Duration::from_secs(4),
        wants_stop: Box::new(|| false),
    };
    let mut person = Person::new(&room, person, &folder)?;
    let mut envs = SyncVectorEnv::new(vec![Arm::default(); 4])?;
    let mut silent = Silent;
    let mut observer = room.observer(&mut silent, &folder);
    let ending =
        run_with_teacher(&mut envs, &mut person, &oracle, &config, &mut dir, &mut observer);
    room.end(ending.map_err(|error| error_text(&error)));
    println!("Done. Press Enter to quit.");
    std::io::stdin().read_line(&mut String::new())?;
    Ok(())
}

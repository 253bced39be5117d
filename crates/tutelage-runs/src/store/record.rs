//! The records of the log.
//!
//! ```text
//! payload     = kind:u8 fields
//! 1 spec      = text                                         repeated if the run is extended
//! 2 input     = crc32c:u32 rows:u32 name                     fingerprint of an input of the run
//! 3 expert    = evaluation                                   the expert's own evaluation
//! 4 states    = round:u32 rows                               format 1: the states of a round
//! 5 answers   = round:u32 first:u32 rows                     format 1: the expert's labels, starting at row `first`
//! 6 result    = round:u32 evaluation has_random:u8 evaluation?
//! 7 queries   = round:u32 rows rows steps:u64 by_expert:u64 (episode:u64 attempt:u32 time:u32 reward:f64)*
//!                                                            states, the learner's intended actions, and for each state
//!                                                            its origin and the sum of its episode's rewards so far
//! 8 replies   = round:u32 count:u32 (row:u32)* rows?         labels of these rows, or skipped rows if there are no labels
//! 9 policy    = round:u32 length:u64 crc32c:u32              fingerprint of the policy trained after a round
//! rows        = element:u8 width:u32 count:u32 values        element: 'f' for f32, 'u' for u32
//! evaluation  = episodes:u32 has_loss:u8 (reward:f64 length:u32 loss:f64?)*
//! ```
//!
//! No record depends on the clock or on the number of threads: equal runs write equal bytes.

use tutelage::actor::Steps;
use tutelage::evaluation::{Episode, Evaluation};
use tutelage::lesson::Origin;
use tutelage::{Batch, Element, SpaceKind};

/// The letter for an element type.
const fn letter<T: Element>() -> u8 {
    match T::KIND {
        SpaceKind::Continuous => b'f',
        SpaceKind::Discrete => b'u',
    }
}

/// A record of the log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record<S, A> {
    Spec(String),
    Fingerprint(Fingerprint),
    Expert(Evaluation),
    States { round: u32, states: Batch<S> },
    Answers { round: u32, first: u32, actions: Batch<A> },
    Result { round: u32, deployed: Evaluation, random: Option<Evaluation> },
    Queries(StoredQueries<S, A>),
    Replies { round: u32, rows: Vec<u32>, actions: Option<Batch<A>> },
    Policy(PolicyNote),
}

/// The queries of a round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredQueries<S, A> {
    pub(crate) round: u32,
    pub(crate) states: Batch<S>,
    pub(crate) intended: Batch<A>,
    pub(crate) steps: Steps,
    /// For each state its origin and the sum of its episode's rewards so far.
    pub(crate) notes: Vec<(Origin, f64)>,
}

/// The fingerprint of a stored policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyNote {
    /// The round after which it was trained.
    pub round: u32,
    /// Its length in bytes.
    pub length: u64,
    /// Its CRC-32C.
    pub checksum: u32,
}

impl PolicyNote {
    /// The fingerprint of these bytes.
    pub fn of(round: u32, bytes: &[u8]) -> Self {
        Self { round, length: bytes.len() as u64, checksum: crc32c::crc32c(bytes) }
    }
}

/// The fingerprint of an input of a run, which reveals later changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The input's name.
    pub name: String,
    /// The number of rows.
    pub rows: u32,
    /// The CRC-32C of the values.
    pub checksum: u32,
}

impl Fingerprint {
    /// The fingerprint of these rows.
    pub fn of<S: Element>(name: impl Into<String>, rows: &Batch<S>) -> Self {
        Self { rows: rows.len() as u32, ..Self::values(name, rows.as_slice()) }
    }

    /// The fingerprint of these numbers, one per row.
    pub fn values<S: Element>(name: impl Into<String>, values: &[S]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bytes()).collect();
        Self { name: name.into(), rows: values.len() as u32, checksum: crc32c::crc32c(&bytes) }
    }
}

impl<S: Element, A: Element> Record<S, A> {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Writer(Vec::new());
        match self {
            Self::Spec(text) => bytes.u8(1).text(text),
            Self::Fingerprint(Fingerprint { name, rows, checksum }) => {
                bytes.u8(2).u32(*checksum).u32(*rows).text(name)
            }
            Self::Expert(evaluation) => bytes.u8(3).evaluation(evaluation),
            Self::States { round, states } => bytes.u8(4).u32(*round).rows(states),
            Self::Answers { round, first, actions } => {
                bytes.u8(5).u32(*round).u32(*first).rows(actions)
            }
            Self::Result { round, deployed, random } => {
                bytes.u8(6).u32(*round).evaluation(deployed).u8(random.is_some().into());
                random.iter().fold(&mut bytes, |bytes, random| bytes.evaluation(random))
            }
            Self::Queries(StoredQueries { round, states, intended, steps, notes }) => {
                bytes.u8(7).u32(*round).rows(states).rows(intended);
                bytes.u64(steps.all).u64(steps.by_expert);
                notes.iter().fold(&mut bytes, |bytes, (origin, reward)| {
                    bytes.u64(origin.episode).u32(origin.attempt).u32(origin.time).f64(*reward)
                })
            }
            Self::Replies { round, rows, actions } => {
                bytes.u8(8).u32(*round).u32(rows.len() as u32);
                rows.iter().fold(&mut bytes, |bytes, &row| bytes.u32(row));
                actions.iter().fold(&mut bytes, |bytes, actions| bytes.rows(actions))
            }
            Self::Policy(PolicyNote { round, length, checksum }) => {
                bytes.u8(9).u32(*round).u64(*length).u32(*checksum)
            }
        };
        bytes.0
    }

    /// Decodes a record; `None` if the bytes are not a valid one.
    pub(crate) fn decode(payload: &[u8]) -> Option<Self> {
        let mut bytes = Reader(payload);
        let record = match bytes.u8()? {
            1 => Self::Spec(bytes.text()?),
            2 => {
                let (checksum, rows) = (bytes.u32()?, bytes.u32()?);
                Self::Fingerprint(Fingerprint { name: bytes.text()?, rows, checksum })
            }
            3 => Self::Expert(bytes.evaluation()?),
            4 => Self::States { round: bytes.u32()?, states: bytes.rows()? },
            5 => Self::Answers { round: bytes.u32()?, first: bytes.u32()?, actions: bytes.rows()? },
            6 => {
                let (round, deployed) = (bytes.u32()?, bytes.evaluation()?);
                let random = if bytes.flag()? { Some(bytes.evaluation()?) } else { None };
                Self::Result { round, deployed, random }
            }
            7 => {
                let (round, states, intended) = (bytes.u32()?, bytes.rows()?, bytes.rows()?);
                let steps = Steps { all: bytes.u64()?, by_expert: bytes.u64()? };
                let notes = (0..states.len()).map(|_| bytes.note()).collect::<Option<_>>()?;
                Self::Queries(StoredQueries { round, states, intended, steps, notes })
            }
            8 => {
                let (round, count) = (bytes.u32()?, bytes.u32()?);
                let mut rows = Vec::new();
                for _ in 0..count {
                    rows.push(bytes.u32()?);
                }
                let actions = if bytes.0.is_empty() { None } else { Some(bytes.rows()?) };
                Self::Replies { round, rows, actions }
            }
            9 => Self::Policy(PolicyNote {
                round: bytes.u32()?,
                length: bytes.u64()?,
                checksum: bytes.u32()?,
            }),
            _ => return None,
        };
        bytes.0.is_empty().then_some(record)
    }
}

struct Writer(Vec<u8>);

struct Reader<'a>(&'a [u8]);

/// Methods that write and read little-endian numbers.
macro_rules! numbers {
    ($($number:ident)*) => {$(
        impl Writer {
            fn $number(&mut self, value: $number) -> &mut Self {
                self.0.extend(value.to_le_bytes());
                self
            }
        }

        impl Reader<'_> {
            fn $number(&mut self) -> Option<$number> {
                let (first, rest) = self.0.split_first_chunk()?;
                self.0 = rest;
                Some($number::from_le_bytes(*first))
            }
        }
    )*};
}
numbers!(u8 u32 u64 f64);

impl Writer {
    fn text(&mut self, text: &str) -> &mut Self {
        self.0.extend(text.as_bytes());
        self
    }

    fn rows<T: Element>(&mut self, rows: &Batch<T>) -> &mut Self {
        self.u8(letter::<T>()).u32(rows.width() as u32).u32(rows.len() as u32);
        self.0.extend(rows.as_slice().iter().flat_map(|value| value.to_bytes()));
        self
    }

    fn evaluation(&mut self, evaluation: &Evaluation) -> &mut Self {
        let has_loss = evaluation.episodes.iter().all(|e| e.imitation_loss.is_some());
        self.u32(evaluation.episodes.len() as u32).u8(has_loss.into());
        for episode in &evaluation.episodes {
            self.f64(episode.reward).u32(episode.length as u32);
            if let (true, Some(loss)) = (has_loss, episode.imitation_loss) {
                self.f64(loss);
            }
        }
        self
    }
}

impl Reader<'_> {
    fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn note(&mut self) -> Option<(Origin, f64)> {
        let origin = Origin { episode: self.u64()?, attempt: self.u32()?, time: self.u32()? };
        Some((origin, self.f64()?))
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(std::mem::take(&mut self.0).to_vec()).ok()
    }

    fn rows<T: Element>(&mut self) -> Option<Batch<T>> {
        if self.u8()? != letter::<T>() {
            return None;
        }
        let (width, count) = (self.u32()? as usize, self.u32()? as usize);
        let length = width.checked_mul(count)?.checked_mul(4)?;
        let (values, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let values = values.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok());
        Batch::from_vec(width, values.map(T::from_bytes).collect()).ok()
    }

    fn evaluation(&mut self) -> Option<Evaluation> {
        let (count, has_loss) = (self.u32()?, self.flag()?);
        let mut episodes = Vec::new();
        for _ in 0..count {
            let (reward, length) = (self.f64()?, self.u32()? as usize);
            let imitation_loss = if has_loss { Some(self.f64()?) } else { None };
            episodes.push(Episode { reward, length, imitation_loss });
        }
        Some(Evaluation { episodes })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::store::frame;

    pub(crate) fn evaluation(reward: f64, imitation_loss: Option<f64>) -> Evaluation {
        Evaluation { episodes: vec![Episode { reward, length: 3, imitation_loss }; 2] }
    }

    /// One record of every kind in format 1.
    pub(crate) fn every_kind() -> Vec<Record<f32, u32>> {
        let states = Batch::from_vec(2, vec![0.5, -1.0, 3.25, 1e-3]).unwrap();
        vec![
            Record::Spec("task = \"hopper\"\n".into()),
            Record::Fingerprint(Fingerprint::of("d0", &states)),
            Record::Expert(evaluation(2600.5, None)),
            Record::States { round: 1, states },
            Record::Answers {
                round: 1,
                first: 0,
                actions: Batch::from_vec(1, vec![7, 8]).unwrap(),
            },
            Record::Result { round: 1, deployed: evaluation(10.0, Some(0.25)), random: None },
            Record::Result {
                round: 2,
                deployed: evaluation(11.0, Some(0.125)),
                random: Some(evaluation(9.0, None)),
            },
        ]
    }

    /// One record of every kind that format 2 added.
    pub(crate) fn every_new_kind() -> Vec<Record<f32, u32>> {
        let note = |episode| (Origin { episode, attempt: 2, time: 3 }, 0.5);
        let rows = |values: &[u32]| Batch::from_vec(1, values.to_vec()).unwrap();
        vec![
            Record::Queries(StoredQueries {
                round: 1,
                states: Batch::from_vec(2, vec![0.5, -1.0, 3.25, 1e-3]).unwrap(),
                intended: rows(&[1, 0]),
                steps: Steps { all: 40, by_expert: 20 },
                notes: vec![note(0), note(7)],
            }),
            Record::Replies { round: 1, rows: vec![1], actions: Some(rows(&[6])) },
            Record::Replies { round: 1, rows: vec![0, 1], actions: None },
            Record::Policy(PolicyNote::of(1, b"123456789")),
        ]
    }

    #[test]
    fn every_kind_survives_a_round_trip() {
        for record in every_kind().into_iter().chain(every_new_kind()) {
            assert_eq!(Record::decode(&record.encode()), Some(record));
        }
    }

    /// Decodes a log.
    fn read(log: &[u8]) -> Vec<Record<f32, u32>> {
        let payloads = frame::scan(log).unwrap().payloads;
        payloads.into_iter().map(|at| Record::decode(&log[at]).unwrap()).collect()
    }

    fn write(version: u8, records: &[Record<f32, u32>]) -> Vec<u8> {
        let frames = records.iter().flat_map(|record| frame::frame(&record.encode()).unwrap());
        let mut bytes: Vec<u8> = frame::header().into_iter().chain(frames).collect();
        bytes[8] = version;
        bytes
    }

    #[test]
    fn format_1_is_read_forever() {
        // Written by an independent program from the description above.
        let golden = include_bytes!("../../tests/data/log-v1.bin");
        assert_eq!(write(1, &every_kind()), golden);
        assert_eq!(read(golden), every_kind());
    }

    #[test]
    fn format_2_is_frozen() {
        let golden = include_bytes!("../../tests/data/log-v2.bin");
        let records = [every_kind(), every_new_kind()].concat();
        assert_eq!(write(2, &records), golden);
        assert_eq!(read(golden), records);
    }

    #[test]
    fn truncated_or_extended_records_are_refused() {
        // Truncated texts are texts, and replies without labels are skips.
        let records = every_kind().into_iter().skip(2).chain(every_new_kind());
        for record in records.filter(|record| !matches!(record, Record::Replies { .. })) {
            let bytes = record.encode();
            for length in 0..bytes.len() {
                assert_eq!(
                    Record::<f32, u32>::decode(&bytes[..length]),
                    None,
                    "{record:?} {length}"
                );
            }
            assert_eq!(Record::<f32, u32>::decode(&[&bytes[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn elements_of_the_other_kind_are_refused() {
        let states = every_kind()[3].encode();
        assert_eq!(Record::<u32, u32>::decode(&states), None);
    }

    #[test]
    fn a_huge_count_is_refused_without_allocating() {
        let mut bytes = Record::<f32, f32>::States { round: 1, states: Batch::new(1) }.encode();
        bytes.truncate(5 + 1);
        bytes.extend([0xFF; 8]);
        assert_eq!(Record::<f32, f32>::decode(&bytes), None);
        let evaluation = [&[3][..], &[0xFF; 4], &[0]].concat();
        assert_eq!(Record::<f32, f32>::decode(&evaluation), None);
    }
}

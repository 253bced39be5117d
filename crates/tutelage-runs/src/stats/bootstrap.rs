//! Percentile bootstrap over runs.

use rand::RngExt;
use tutelage::Stream;

use super::StatsError;

/// How a band is made: resample the runs with replacement, and keep the middle `level` of the statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    level: f64,
    resamples: usize,
    stream: Stream,
}

/// A statistic and where it would lie for other runs of the same kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The statistic of the runs there are.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The mean of several curves, point by point.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// The mean and its interval at each point.
    pub points: Vec<Interval>,
}

impl Default for Bootstrap {
    /// The paper's: 80 %, from 1000 resamples.
    fn default() -> Self {
        Self { level: 0.8, resamples: 1000, stream: Stream::new(0) }
    }
}

impl Bootstrap {
    /// The middle `level` of so many resamples.
    pub fn new(level: f64, resamples: usize, stream: Stream) -> Result<Self, StatsError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(StatsError::Level(level));
        }
        if resamples == 0 {
            return Err(StatsError::NoResamples);
        }
        Ok(Self { level, resamples, stream })
    }

    /// The mean of curves of equal length, with whole curves resampled.
    pub fn band(&self, runs: &[Vec<f64>]) -> Result<Band, StatsError> {
        let expected = runs.first().ok_or(StatsError::NoRuns)?.len();
        if let Some(run) = runs.iter().position(|run| run.len() != expected) {
            return Err(StatsError::Lengths { run, found: runs[run].len(), expected });
        }
        let all: Vec<usize> = (0..runs.len()).collect();
        let draws = self.draws(runs.len(), "band");
        let mean = |rows: &[usize], point: usize| {
            rows.iter().map(|&run| runs[run][point]).sum::<f64>() / rows.len() as f64
        };
        let interval = |point| {
            let resampled = draws.iter().map(|rows| mean(rows, point)).collect();
            self.interval(mean(&all, point), resampled)
        };
        Ok(Band { points: (0..expected).map(interval).collect() })
    }

    /// Any statistic of one number per run.
    pub fn statistic(
        &self,
        values: &[f64],
        statistic: impl Fn(&[f64]) -> f64,
    ) -> Result<Interval, StatsError> {
        if values.is_empty() {
            return Err(StatsError::NoRuns);
        }
        let resampled = |rows: Vec<usize>| {
            statistic(&rows.into_iter().map(|row| values[row]).collect::<Vec<_>>())
        };
        let resampled = self.draws(values.len(), "statistic").into_iter().map(resampled).collect();
        Ok(self.interval(statistic(values), resampled))
    }

    /// For each resample, which runs it holds.
    pub(super) fn draws(&self, runs: usize, name: &str) -> Vec<Vec<usize>> {
        let mut rng = self.stream.fork(name, 0).rng();
        let mut resample = || (0..runs).map(|_| rng.random_range(0..runs)).collect();
        (0..self.resamples).map(|_| resample()).collect()
    }

    pub(super) fn interval(&self, estimate: f64, mut resampled: Vec<f64>) -> Interval {
        resampled.sort_by(f64::total_cmp);
        let tail = (1.0 - self.level) / 2.0;
        Interval {
            estimate,
            low: percentile(&resampled, tail),
            high: percentile(&resampled, 1.0 - tail),
        }
    }
}

/// The value below which this share of the sorted values lies, by linear interpolation.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_by_hand() {
        let sorted = [0.0, 10.0, 20.0, 30.0, 40.0];
        assert_eq!(percentile(&sorted, 0.0), 0.0);
        assert_eq!(percentile(&sorted, 0.5), 20.0);
        assert!((percentile(&sorted, 0.1) - 4.0).abs() < 1e-12);
        assert_eq!(percentile(&sorted, 1.0), 40.0);
    }

    #[test]
    fn a_band_of_two_runs_by_hand() {
        // The mean of two draws from {0, 1} is 0, ½ or 1 with probability ¼, ½, ¼: the 10th percentile is 0, the 90th 1,
        // the 30th and the 70th ½.
        let runs = [vec![0.0, 5.0], vec![1.0, 5.0]];
        let wide = Bootstrap::default().band(&runs).unwrap();
        assert_eq!(wide.points[0], Interval { estimate: 0.5, low: 0.0, high: 1.0 });
        assert_eq!(wide.points[1], Interval { estimate: 5.0, low: 5.0, high: 5.0 });
        let narrow = Bootstrap::new(0.4, 4000, Stream::new(1)).unwrap().band(&runs).unwrap();
        assert_eq!(narrow.points[0], Interval { estimate: 0.5, low: 0.5, high: 0.5 });
    }

    #[test]
    fn a_band_covers_the_truth_about_as_often_as_it_says() {
        let mut covered = 0;
        for trial in 0..300 {
            let mut rng = Stream::new(trial).rng();
            let runs: Vec<Vec<f64>> =
                (0..20).map(|_| vec![(0..12).map(|_| rng.random::<f64>()).sum::<f64>()]).collect();
            let Interval { low, high, .. } = Bootstrap::default().band(&runs).unwrap().points[0];
            covered += u32::from(low <= 6.0 && 6.0 <= high);
        }
        assert!((0.7..0.86).contains(&(f64::from(covered) / 300.0)), "{covered} of 300");
    }

    #[test]
    fn points_of_one_run_stay_together() {
        // The second point mirrors the first, and so do the ends of its band. Were each point resampled on its own, they
        // would do so only about: the roots make it unlikely that two resamples have the same mean.
        let runs: Vec<Vec<f64>> =
            (0..9).map(f64::from).map(f64::sqrt).map(|x| vec![x, 10.0 - x]).collect();
        let band = Bootstrap::default().band(&runs).unwrap();
        for (low, high) in
            [(band.points[0].low, band.points[1].high), (band.points[1].low, band.points[0].high)]
        {
            assert!((low + high - 10.0).abs() < 1e-9, "{band:?}");
        }
    }

    #[test]
    fn the_same_numbers_give_the_same_band() {
        let runs = [vec![1.0], vec![2.0], vec![4.0]];
        assert_eq!(Bootstrap::default().band(&runs), Bootstrap::default().band(&runs));
    }

    #[test]
    fn what_makes_no_band_is_refused() {
        assert_eq!(Bootstrap::default().band(&[]), Err(StatsError::NoRuns));
        let uneven = [vec![1.0], vec![1.0, 2.0]];
        let error = StatsError::Lengths { run: 1, found: 2, expected: 1 };
        assert_eq!(Bootstrap::default().band(&uneven), Err(error));
        assert_eq!(Bootstrap::new(1.0, 10, Stream::new(0)), Err(StatsError::Level(1.0)));
        assert_eq!(Bootstrap::new(0.8, 0, Stream::new(0)), Err(StatsError::NoResamples));
    }
}

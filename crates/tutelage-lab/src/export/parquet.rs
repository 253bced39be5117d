//! Parquet: columns `round`, `state_0` …, `action_0` …, in one row group, plain and without compression, which noise from
//! a simulator does not yield to anyway.
//!
//! A file is its magic, the columns' pages one after the other, a footer that says where they are, the footer's length, and the
//! magic again. Numbers of fields and kinds: Apache Parquet's `parquet.thrift`.

use tutelage::{Batch, Element};

use super::thrift::Struct;
use super::{Annotations, Rows};

const MAGIC: &[u8; 4] = b"PAR1";
/// How many values a page holds: a megabyte.
const PAGE: usize = 1 << 18;

/// Columns that a file may have: each takes a thousand bytes of headers while it is written, however few rows there are.
const MOST_COLUMNS: usize = 1 << 18;

/// Kinds of columns, encodings and codecs, as Parquet numbers them.
const INT32: i32 = 1;
const FLOAT: i32 = 4;
const REQUIRED: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const DATA_PAGE: i32 = 0;
const UNCOMPRESSED: i32 = 0;

pub(super) fn encode(
    annotations: &Annotations,
) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let width = 1 + annotations.states.width() + annotations.actions.width();
    if width > MOST_COLUMNS {
        let why = "a column for each number of a row; allowed are at most";
        return Err(format!("{width} columns, {why} {MOST_COLUMNS}; .npz takes any").into());
    }
    let rows = annotations.rounds.len() as u64;
    let mut file = MAGIC.to_vec();
    let columns = columns(annotations);
    let chunks: Vec<Struct> = columns.iter().map(|column| column.write(&mut file)).collect();
    let group = Struct::default().structs(1, chunks).i64(2, file.len() as u64 - 4).i64(3, rows);
    let footer = Struct::default()
        .i32(1, 1)
        .structs(2, schema(&columns))
        .i64(3, rows)
        .structs(4, vec![group])
        .text(6, concat!("tutelage ", env!("CARGO_PKG_VERSION")))
        .end();
    file.extend(&footer);
    file.extend(u32::try_from(footer.len())?.to_le_bytes());
    file.extend(MAGIC);
    Ok(file)
}

struct Column {
    name: String,
    kind: i32,
    values: Vec<[u8; 4]>,
}

fn columns(Annotations { rounds, states, actions }: &Annotations) -> Vec<Column> {
    let values = rounds.iter().map(|round| round.to_le_bytes()).collect();
    let mut columns = vec![Column { name: "round".into(), kind: INT32, values }];
    for (name, rows) in [("state", states), ("action", actions)] {
        columns.extend((0..rows.width()).map(|i| Column {
            name: format!("{name}_{i}"),
            kind: if let Rows::Vectors(_) = rows { FLOAT } else { INT32 },
            values: match rows {
                Rows::Vectors(rows) => column(rows, i, f32::to_le_bytes),
                Rows::Indices(rows) => column(rows, i, u32::to_le_bytes),
            },
        }));
    }
    columns
}

fn column<T: Element>(rows: &Batch<T>, index: usize, bytes: impl Fn(T) -> [u8; 4]) -> Vec<[u8; 4]> {
    rows.rows().map(|row| bytes(row[index])).collect()
}

/// The root, then every column.
fn schema(columns: &[Column]) -> Vec<Struct> {
    let root = Struct::default().text(4, "annotations").i32(5, columns.len() as i32);
    let leaf = |column: &Column| {
        Struct::default().i32(1, column.kind).i32(3, REQUIRED).text(4, &column.name)
    };
    [root].into_iter().chain(columns.iter().map(leaf)).collect()
}

impl Column {
    /// Writes the column's pages; says where they are and what they hold.
    fn write(&self, file: &mut Vec<u8>) -> Struct {
        let start = file.len();
        for values in self.values.chunks(PAGE) {
            file.extend(page_header(values.len() as i32));
            file.extend(values.as_flattened());
        }
        let bytes = (file.len() - start) as u64;
        let column = Struct::default()
            .i32(1, self.kind)
            .numbers(2, &[PLAIN, RLE])
            .texts(3, &[&self.name])
            .i32(4, UNCOMPRESSED)
            .i64(5, self.values.len() as u64)
            .i64(6, bytes)
            .i64(7, bytes)
            .i64(9, start as u64);
        Struct::default().i64(2, start as u64).within(3, column)
    }
}

/// Levels, which say how values are nested and which are missing, take no bytes where all are required.
fn page_header(values: i32) -> Vec<u8> {
    let page = Struct::default().i32(1, values).i32(2, PLAIN).i32(3, RLE).i32(4, RLE);
    Struct::default().i32(1, DATA_PAGE).i32(2, 4 * values).i32(3, 4 * values).within(5, page).end()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Row, RowAccessor};

    use super::*;
    use crate::export::tests::annotations;

    /// What a reader that is not ours makes of the file.
    fn read(annotations: &Annotations) -> Vec<Row> {
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, &encode(annotations).unwrap()).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect()
    }

    #[test]
    fn rows_come_back() {
        let rows = read(&annotations());
        let rows = rows.iter().map(|row| {
            let float = |i| row.get_float(i).unwrap();
            (row.get_int(0).unwrap(), float(1), float(2), float(3))
        });
        let expected = [(1, 1.0, 2.0, 0.5), (1, 3.0, 4.0, -0.5), (2, 5.0, 6.0, 1.5)];
        assert!(rows.eq(expected));
    }

    #[test]
    fn many_rows_of_many_indices_come_back_from_several_pages() {
        let (rows, width) = (PAGE + 3, 20);
        let value = |i: usize| (i as u32).wrapping_mul(2_654_435_761) >> 4;
        let states: Vec<u32> = (0..rows * width).map(value).collect();
        let annotations = Annotations {
            rounds: vec![1; rows],
            states: Batch::from_vec(width, states).unwrap().into(),
            actions: Batch::from_vec(1, vec![3_u32; rows]).unwrap().into(),
        };
        let back = read(&annotations);
        assert_eq!(back.len(), rows);
        for row in [0, PAGE - 1, PAGE, rows - 1] {
            let expected = (0..width).map(|i| value(row * width + i) as i32);
            assert!(expected.eq((1..=width).map(|i| back[row].get_int(i).unwrap())), "row {row}");
        }
        assert_eq!(back[0].get_column_iter().last().unwrap().0, "action_0");
    }

    #[test]
    fn rows_wider_than_any_table_are_refused() {
        let wide = Annotations {
            rounds: vec![1],
            states: Batch::from_vec(MOST_COLUMNS, vec![0.0; MOST_COLUMNS]).unwrap().into(),
            actions: Batch::from_vec(1, vec![0.5]).unwrap().into(),
        };
        let error = encode(&wide).unwrap_err().to_string();
        assert!(error.starts_with("262146 columns") && error.contains("at most 262144"), "{error}");
    }
}

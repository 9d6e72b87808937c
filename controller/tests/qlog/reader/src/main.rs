//! qlog-reader FILE... - for each file, how many events Cloudflare's crate `qlog` knows, and how many it takes as JSON only.
//! What it cannot read at all it skips.

use std::error::Error;

use qlog::reader::{Event, QlogSeqReader};

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let (mut known, mut other) = (0, 0);
        for event in QlogSeqReader::with_file(&path)? {
            match event {
                Event::Qlog(_) => known += 1,
                Event::Json(_) => other += 1,
            }
        }
        println!("{known} {other}");
    }
    Ok(())
}

//! The disk that a run may use.

use std::fs::File;
use std::io::{Read, Seek, Write};

use windlull_record::{Exceeded, Quota};

fn file() -> File {
    tempfile::tempfile().expect("a file")
}

#[test]
fn all_files_count_together_and_a_nameless_one_only_while_it_is_open() {
    let quota = Quota::of(100);
    let (mut one, mut other) = (quota.counting(file()), quota.counting(file()));
    one.write_all(&[0; 60]).expect("room");
    let error = other.write_all(&[0; 41]).expect_err("no room");
    error.downcast::<Exceeded>().expect("the limit");
    other.write_all(&[0; 10]).expect("room");
    let mut scratch = quota.counting(file()).nameless();
    scratch.write_all(&[1, 2, 3]).expect("room");
    scratch.rewind().expect("a file");
    let mut read = [0; 3];
    scratch.read_exact(&mut read).expect("written");
    assert_eq!(read, [1, 2, 3]);
    assert!(other.write_all(&[0; 30]).is_err());
    drop(scratch);
    other.write_all(&[0; 30]).expect("room again");
}

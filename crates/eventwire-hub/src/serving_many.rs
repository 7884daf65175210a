#![doc = include_str!("../docs/serving-many.md")]

#![doc = include_str!("../docs/which-log.md")]

use super::Path;
use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};
use serde::{Deserialize, de::DeserializeOwned};

#[track_caller]
fn check<T: DeserializeOwned>(json: &str, path: &str) {
    assert!(serde_json::from_str::<T>(json).is_err(), "{json} can be read");
    assert_eq!(&*Path::to_failure::<T>(json), path, "{json}");
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read into")]
#[serde(deny_unknown_fields)]
struct Node {
    #[serde(default)]
    name: Option<String>,
    #[serde(default, rename = "first child")]
    first: Option<Box<Node>>,
    #[serde(default)]
    pair: (u8, Wrapped),
    #[serde(default)]
    shapes: Vec<Shape>,
    #[serde(default)]
    by_number: BTreeMap<i32, bool>,
    #[serde(default)]
    by_letter: BTreeMap<char, ()>,
    #[serde(default)]
    tagged: Vec<Tagged>,
    #[serde(default)]
    lenient: Lenient,
}

#[derive(Default, Deserialize)]
#[expect(dead_code, reason = "only read into")]
struct Wrapped(u8);

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read into")]
enum Shape {
    Point,
    Circle(f64),
    Line(u8, u8),
    Box { width: u8 },
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only read into")]
#[serde(tag = "type")]
enum Tagged {
    A { a: u8 },
}

/// A key that is a floating-point number.
#[derive(Deserialize, PartialEq)]
struct Fraction(f64);

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> core::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// It ignores the error if its value cannot be read.
#[derive(Default)]
struct Lenient;

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Lenient, D::Error> {
        let _ = <(u8, u8)>::deserialize(deserializer);
        Ok(Lenient)
    }
}

#[test]
fn a_path_leads_to_the_value() {
    check::<Node>(r#"{"name":1}"#, "name");
    check::<Node>(r#"{"name":"a","pair":[1,"x"]}"#, "pair[1]");
    check::<Node>(r#"{"pair":[1]}"#, "pair");
    check::<Node>(r#"{"pair":[1,2,3]}"#, "pair");
    check::<Node>(r#"{"first child":{"first child":{"name":[]}}}"#, r#"["first child"]["first child"].name"#);
    check::<Node>(r#"{"shapes":["Point",{"Circle":1},{"Circle":"x"}]}"#, "shapes[2].Circle");
    check::<Node>(r#"{"shapes":[{"Line":[1,2]},{"Line":[1,300]}]}"#, "shapes[1].Line[1]");
    check::<Node>(r#"{"shapes":[{"Box":{"width":1}},{"Box":{"width":-1}}]}"#, "shapes[1].Box.width");
    check::<Node>(r#"{"shapes":[{"Box":{}}]}"#, "shapes[0].Box");
    check::<Node>(r#"{"shapes":[{"Square":{}}]}"#, "shapes[0]");
    check::<Node>(r#"{"by_number":{"-7":true,"8":1}}"#, "by_number.8");
    check::<Node>(r#"{"by_number":{"-7":1}}"#, "by_number.-7");
    check::<BTreeMap<Fraction, bool>>(r#"{"1.5":true,"-2.25":1}"#, r#"["-2.25"]"#);
    check::<Node>(r#"{"by_letter":{"a":null,".":1}}"#, r#"by_letter["."]"#);
    check::<Vec<Vec<u8>>>("[[1],[2,[]]]", "[1][1]");
    check::<BTreeMap<String, u8>>(r#"{"":"x"}"#, r#"[""]"#);
    check::<BTreeMap<String, u8>>(r#"{"a\n\"b":"x"}"#, r#"["a\n\"b"]"#);
    check::<BTreeMap<String, u8>>(r#"{"größe":"x"}"#, "größe");
}

#[test]
fn an_error_of_the_whole_payload_has_no_path() {
    check::<u8>("x", "");
    check::<u8>("", "");
    check::<u8>("1 2", "");
    check::<Node>("7", "");
    check::<Node>(r#"{"nam":1}"#, "");
    check::<Node>(r#"{"name":"a"} x"#, "");
    check::<Node>(r#"{"name":"a","name":"b"}"#, "");
}

#[test]
fn invalid_json_has_the_path_to_the_invalid_value() {
    check::<Node>(r#"{"name":"a","shapes":["Point","#, "shapes[1]");
    check::<Node>(r#"{"shapes":["Point" "Point"]}"#, "shapes[1]");
    check::<serde_json::Value>(r#"{"a":[0,{"b":tru}]}"#, "a[1].b");
    check::<Vec<Vec<serde_json::Value>>>(&["["; 200].concat(), &["[0]"; 127].concat());
}

#[test]
fn the_path_to_a_buffered_value_ends_at_the_buffer() {
    check::<Node>(r#"{"tagged":[{"type":"A","a":1},{"type":"A","a":"x"}]}"#, "tagged[1]");
}

/// It skips the members that are not numbers, and fails if the sum is zero.
struct Sum;

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Sum, D::Error> {
        struct Members;
        impl<'de> serde::de::Visitor<'de> for Members {
            type Value = Sum;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("members")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Sum, A::Error> {
                let mut sum = 0;
                while map.next_key::<String>()?.is_some() {
                    sum += map.next_value::<u32>().unwrap_or_default();
                }
                if sum > 0 { Ok(Sum) } else { Err(serde::de::Error::custom("no sum")) }
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[test]
fn an_ignored_error_does_not_change_the_path() {
    check::<Node>(r#"{"lenient":[1,2],"name":7}"#, "name");
    check::<Node>(r#"{"lenient":[1,"x"],"name":7}"#, "name");
    check::<Node>(r#"{"lenient":[1,"x"]} x"#, "");
    check::<Node>(r#"{"lenient":[1,"x"],"nam":7}"#, "");
    check::<Vec<Sum>>(r#"[{"a":1},{"a":"x","b":"y"}]"#, "[1]");
    check::<Vec<Sum>>(r#"[{"a":"x","b":1},{"a":"y",1:2}]"#, "[1]");
}

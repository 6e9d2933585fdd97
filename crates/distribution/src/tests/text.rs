//! The text form: exact round trips, what is short for what, and what is refused.

use super::*;
use petrio_units::{Amount, Blocks, Bytes, Duration, Fraction, Measurable, SignedBlocks};
use proptest::prelude::*;

/// A parameter of a random magnitude; whole for half of them.
fn amounts<Q: Measurable>() -> impl Strategy<Value = Amount<Q>> {
    let finest = prop_oneof![
        (0..1_u64 << 50).prop_map(|n| n as f64),
        (0..5_000_u64).prop_map(|n| n as f64),
        (-12.0..15.0_f64).prop_map(|digits| 10_f64.powf(digits)),
    ];
    finest.prop_map(|finest| Amount::from_base(finest / Q::FINEST_PER_BASE))
}

fn shapes() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), (-6.0..6.0_f64).prop_map(|digits| 10_f64.powf(digits))]
}

fn families<Q: Measurable>() -> BoxedStrategy<DrawFamily<Q>> {
    let a = amounts::<Q>;
    let list = move || prop::collection::vec(a(), 1..6);
    let fractions = || (0..=1_000_u32).prop_map(|n| Fraction::new(f64::from(n) / 1_000.0).unwrap());
    let gamma_stage = (shapes(), shapes(), a(), a()).prop_map(|(weight, shape, scale, offset)| GammaStage {
        weight,
        shape,
        scale,
        offset,
    });
    let phase =
        (shapes(), a(), a()).prop_map(|(weight, mean, offset)| ExponentialStage { weight, mean, offset });
    let branch =
        (shapes(), 1..50_u32, a()).prop_map(|(weight, phases, mean)| ErlangStage { weight, phases, mean });
    let interpolation = prop_oneof![Just(Interpolation::Linear), Just(Interpolation::MonotoneCubic)];
    let weights = || prop::collection::vec(shapes(), 1..6);
    prop_oneof![
        a().prop_map(DrawFamily::Constant),
        (a(), a()).prop_map(|(min, max)| DrawFamily::Uniform { min, max }),
        (a(), a()).prop_map(|(mean, standard_deviation)| DrawFamily::Normal { mean, standard_deviation }),
        (a(), a()).prop_map(|(base, mean)| DrawFamily::Exponential { base, mean }),
        (a(), a(), prop::option::of(a())).prop_map(|(base, mean, step)| DrawFamily::Poisson {
            base,
            mean,
            step
        }),
        (a(), a(), fractions()).prop_map(|(default, second, probability)| DrawFamily::TwoValue {
            default,
            second,
            probability
        }),
        (a(), shapes(), a()).prop_map(|(median, spread, offset)| DrawFamily::Lognormal {
            median,
            spread,
            offset
        }),
        (shapes(), a(), a()).prop_map(|(shape, scale, offset)| DrawFamily::Weibull { shape, scale, offset }),
        (shapes(), a()).prop_map(|(shape, minimum)| DrawFamily::Pareto { shape, minimum }),
        (shapes(), 1..1_u64 << 40, prop::option::of(a()))
            .prop_map(|(exponent, count, step)| DrawFamily::Zipf { exponent, count, step }),
        (a(), 0..2_u8, prop::option::of(a())).prop_map(|(mean, from, step)| DrawFamily::Geometric {
            mean,
            from,
            step
        }),
        prop::collection::vec(gamma_stage, 1..4).prop_map(|stages| DrawFamily::Gamma(GammaStages {
            stages: Some(stages),
            shape: None,
            scale: None,
            offset: None
        })),
        (shapes(), a(), prop::option::of(a())).prop_map(|(shape, scale, offset)| DrawFamily::Gamma(
            GammaStages { stages: None, shape: Some(shape), scale: Some(scale), offset }
        )),
        prop::collection::vec(phase, 1..4).prop_map(|stages| DrawFamily::PhaseType { stages }),
        prop::collection::vec(branch, 1..4).prop_map(|stages| DrawFamily::HyperErlang { stages }),
        (list(), weights()).prop_map(|(x, density)| DrawFamily::DensityTable(DensityTable {
            x,
            density,
            file: None,
            lines: None
        })),
        (list(), weights(), interpolation).prop_map(|(x, p, interpolation)| {
            DrawFamily::CumulativeTable(CumulativeTable { x, p, file: None, lines: None, interpolation })
        }),
        (list(), prop::option::of(weights()), any_bool()).prop_map(|(values, weights, smooth)| {
            DrawFamily::Empirical(EmpiricalSample { values, weights, smooth })
        }),
    ]
    .boxed()
}

fn any_bool() -> impl Strategy<Value = bool> {
    prop_oneof![Just(true), Just(false)]
}

fn draws<Q: Measurable>() -> impl Strategy<Value = Draw<Q>> {
    families::<Q>().prop_map(Draw).prop_recursive(3, 8, 3, |inner| {
        let part = (shapes(), inner.clone()).prop_map(|(weight, of)| MixturePart { weight, of });
        prop_oneof![
            prop::collection::vec(part, 1..3).prop_map(|parts| Draw(DrawFamily::Mixture(parts))),
            (inner, prop::option::of(amounts()), prop::option::of(amounts()))
                .prop_map(|(of, min, max)| Draw(DrawFamily::Truncated { of: Box::new(of), min, max })),
        ]
    })
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(bound = "Q: Measurable")]
struct Part<Q: Measurable> {
    draw: Draw<Q>,
}

fn round_trips<Q: Measurable>(draw: &Draw<Q>) -> Result<(), TestCaseError> {
    let part = Part { draw: draw.clone() };
    let toml = toml::to_string(&part).unwrap();
    let read: Part<Q> =
        toml::from_str(&toml).map_err(|error| TestCaseError::fail(format!("{toml}\n{error}")))?;
    prop_assert_eq!(&read.draw, draw, "{}", toml);
    prop_assert_eq!(toml::to_string(&read).unwrap(), toml);
    // Whatever the parameters are, a distribution or a sentence comes of them.
    match (draw.distribution(), draw.distribution_in_finest()) {
        (Ok(base), Ok(finest)) => prop_assert_eq!(base.has_atoms(), finest.has_atoms()),
        (Err(error), _) | (_, Err(error)) => prop_assert!(error.to_string().contains(": "), "{}", error),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn text_is_read_back_exactly(
        bytes in draws::<Bytes>(), blocks in draws::<Blocks>(), durations in draws::<Duration>(),
        distances in draws::<SignedBlocks>(), numbers in draws::<f64>(),
    ) {
        round_trips(&bytes)?;
        round_trips(&blocks)?;
        round_trips(&durations)?;
        round_trips(&distances)?;
        round_trips(&numbers)?;
    }
}

fn read<Q: Measurable>(toml: &str) -> Result<Draw<Q>, String> {
    toml::from_str::<Part<Q>>(&format!("draw = {toml}"))
        .map(|part| part.draw)
        .map_err(|error| error.message().to_owned())
}

fn refused<Q: Measurable>(toml: &str) -> String {
    match read::<Q>(toml) {
        Err(message) => message,
        Ok(draw) => draw.distribution().unwrap_err().to_string(),
    }
}

#[test]
fn a_bare_quantity_is_short_for_a_constant() {
    assert_eq!(read::<Duration>("\"5 ms\"").unwrap(), read("{ constant = \"5 ms\" }").unwrap());
    assert_eq!(read::<f64>("2.5").unwrap().distribution().unwrap().mean(), 2.5);
    assert_eq!(read::<f64>("3").unwrap().distribution().unwrap().mean(), 3.0);
}

#[test]
fn the_same_text_means_the_same_in_every_unit() {
    let draw: Draw<Duration> = read("{ exponential = { base = \"1 ms\", mean = \"25 ms\" } }").unwrap();
    assert!((draw.distribution().unwrap().mean() - 0.026).abs() < 1e-15);
    assert_eq!(draw.distribution_in_finest().unwrap().mean(), 26e9);
    let size: Draw<Blocks> = read("{ exponential = { mean = \"4 KiB\" } }").unwrap();
    assert_eq!(size.distribution().unwrap().mean(), 8.0);
    let fitted: Draw<Bytes> = read("{ gamma = { shape = 2, scale = \"812.37 B\" } }").unwrap();
    assert!((fitted.distribution().unwrap().mean() - 1624.74).abs() < 1e-9);
    assert!(toml::to_string(&Part { draw: fitted }).unwrap().contains("\"812.37 B\""));
}

#[test]
fn counts_need_a_step_where_there_is_a_unit() {
    assert_eq!(
        read::<f64>("{ zipf = { exponent = 0, count = 3 } }").unwrap().distribution().unwrap().mean(),
        2.0
    );
    let blocks = read::<Blocks>("{ geometric = { mean = \"4 blocks\", step = \"1 block\" } }").unwrap();
    assert!((blocks.distribution().unwrap().mean() - 4.0).abs() < 1e-12);
    let message = refused::<Blocks>("{ geometric = { mean = \"4 blocks\" } }");
    assert_eq!(message, "geometric: step is missing; say what one count is, such as step = \"1 block\"");
    let from_zero = read::<f64>("{ geometric = { mean = 0.25, from = 0 } }").unwrap();
    assert!((from_zero.distribution().unwrap().mean() - 0.25).abs() < 1e-15);
    assert!(refused::<f64>("{ geometric = { mean = 0.25 } }").contains("with from = 0"));
}

#[test]
fn what_makes_no_sense_is_refused_by_family_and_place() {
    let cases = [
        ("5", "\"5\" has no unit"),
        ("\"5 KiB\"", "is a size, a duration is needed"),
        ("{ exponental = { mean = \"5 ms\" } }", "unknown variant `exponental`"),
        ("{ exponential = { mean = 5 } }", "\"5\" has no unit"),
        ("{ exponential = { men = \"5 ms\" } }", "unknown field `men`"),
        ("{ exponential = { mean = \"5 ms\" }, constant = \"5 ms\" }", "a table with one key"),
        ("{ }", "a table with one key"),
        ("{ uniform = { min = \"5 ms\", max = \"5 ms\" } }", "less than its largest"),
        (
            "{ gamma = { stages = [ { shape = 1, scale = \"1 s\" }, { shape = 0, scale = \"1 s\" } ] } }",
            "gamma: stages.1.shape is 0; it must be more than zero",
        ),
        ("{ gamma = { shape = 2 } }", "written either as stages"),
        ("{ gamma = { stages = [] } }", "gamma: stages has none"),
        (
            "{ phase-type = { stages = [ { mean = \"0 s\" } ] } }",
            "phase-type: stages.0.mean is 0; it must be more than zero",
        ),
        ("{ hyper-erlang = { stages = [ { phases = 0, mean = \"1 s\" } ] } }", "stages.0.phases is 0"),
        ("{ weibull = { shape = nan, scale = \"1 s\" } }", "weibull: shape is NaN"),
        (
            "{ mixture = [ { of = \"5 ms\" }, { of = { pareto = { shape = -1, minimum = \"1 ms\" } } } ] }",
            "mixture: 1.of.pareto.shape is -1",
        ),
        ("{ truncated = { of = { exponential = { mean = \"1 ms\" } }, min = \"1 s\" } }", "truncated: only"),
    ];
    for (toml, expected) in cases {
        let message = refused::<Duration>(toml);
        assert!(message.contains(expected), "{toml}\n{message}");
    }
    assert!(refused::<f64>("\"2.5\"").contains("a number without unit is needed"));
    assert!(refused::<f64>("inf").contains("number"));
    let part = refused::<Blocks>("\"1000 B\"");
    assert_eq!(part, "constant: 1.953125 blocks is not a whole number of blocks of 512 bytes");
}

#[test]
fn a_table_of_lines_is_that_of_its_points() {
    let of = |family: &str, lines: &str| {
        let lines = toml::Value::String(lines.to_owned());
        let draw: Draw<Bytes> =
            read(&format!("{{ {family} = {{ lines = {lines}, interpolation = \"linear\" }} }}")).unwrap();
        draw.distribution()
    };
    let written: Draw<Bytes> =
        read("{ cumulative-table = { x = [\"0 B\", \"4 KiB\", \"1 MiB\"], p = [0, 0.7, 1], interpolation = \"linear\" } }").unwrap();
    let written = written.distribution().unwrap();
    for lines in [
        "0 B, 0\n4 KiB, 0.7\n1 MiB, 1\n",
        "# sizes\n\nKiB,p\n0,0\n4,0.7\n1 MiB,1",
        "\u{feff}\"KiB\";\"p\"\n\"0\";\"0\"\n4;0.7\n1024;1\n",
        "B\tp\n0\t0\n4096\t0.7\n1048576\t1\n",
    ] {
        let found = of("cumulative-table", lines).unwrap();
        for x in [0.0, 2048.0, 4096.0, 500_000.0, 1_048_576.0] {
            assert_eq!(found.cdf(x), written.cdf(x), "{lines:?} at {x}");
        }
    }
    for (lines, problem) in [
        ("0 B, 0\n4 KiB, much\n", "line 2 of them: \"much\" is no number"),
        ("0, 0\n", "has no unit"),
        ("4 KiB\n", "is no"),
        ("1 MiB, 0\n4 KiB, 1\n", "x"),
    ] {
        let error = of("cumulative-table", lines).unwrap_err().to_string();
        assert!(error.contains(problem), "{lines:?}: {error}");
    }
    let both: Draw<Bytes> =
        read("{ cumulative-table = { x = [\"0 B\", \"1 B\"], p = [0, 1], lines = \"0 B, 0\" } }").unwrap();
    assert!(both.distribution().unwrap_err().to_string().contains("leave out one of both"));
    let file: Draw<Bytes> = read("{ density-table = { file = \"sizes.csv\" } }").unwrap();
    assert!(file.distribution().unwrap_err().to_string().contains("files aren't read here"));
}

#[test]
fn the_schema_shows_every_family_and_the_short_form() {
    let schema = serde_json::to_string(&schemars::schema_for!(Draw<Bytes>)).unwrap();
    for word in ["phase-type", "hyper-erlang", "cumulative-table", "empirical", "truncated", "anyOf"] {
        assert!(schema.contains(word), "{word}: {schema}");
    }
}

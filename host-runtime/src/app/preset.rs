//! Presets, and parameters that follow from other options: good results without tuning.

use super::Application;
use crate::costs::DataTerm;
use crate::options::application::{ApplicationOptions, Occlusion, Preset};
use crate::options::{Anneal, RunOptions};

/// What holds where `options` say nothing: the preset, and magnitudes that go with a data term. The default preset with the
/// plain data term sets nothing; its values are [`Application::defaults`].
///
/// `size` are width and height of the reference; the support of `best` shrinks with small pictures.
pub fn options(application: &Application, options: &RunOptions, size: (u32, u32)) -> RunOptions {
    let best = options.application.preset == Some(Preset::Best);
    // Costs of one's own are a data term already.
    let own = options.costs.is_some() || options.singleton.is_some();
    let preset = match application {
        Application::Stereo { .. } if best && !own => best_stereo(size),
        Application::Flow { .. } if best && !own => best_flow(options, size),
        Application::Segment => {
            let o = &options.application;
            let colour = o.colour || o.colours.is_some() || best && !own && options.values.is_none();
            return if colour { colours() } else { RunOptions::default() };
        }
        _ => RunOptions::default(),
    };
    let term = options.application.data;
    let magnitudes = match term {
        Some(term) if preset.application.data != Some(term) => magnitudes(term),
        _ => RunOptions::default(),
    };
    magnitudes.or(preset)
}

/// The support that was tuned on pictures of `TUNED` pixels a side and more, and that share of it where the shorter side is
/// less: a window that covers much of the picture wipes out its details.
fn support(tuned: u16, (width, height): (u32, u32)) -> u16 {
    let side = width.min(height).min(TUNED);
    // At most `tuned`.
    ((u32::from(tuned) * side + TUNED / 2) / TUNED) as u16
}

/// Shorter side, in pixels, from which on the support is whole. Tsukuba, the smallest picture of the tuning, has 288.
const TUNED: u32 = 240;

fn best_stereo(size: (u32, u32)) -> RunOptions {
    RunOptions {
        application: ApplicationOptions {
            data: Some(DataTerm::Robust),
            support: Some(support(9, size)),
            occlusion: Some(Occlusion::Fill),
            ..ApplicationOptions::default()
        },
        alpha: Some(1.0),
        beta: Some(6.0),
        cap: Some(2),
        data_cap: Some(128),
        outside: Some(60),
        anneal: Some(Anneal { from: 13.0, to: 3.4, steps: None }),
        ..RunOptions::default()
    }
}

fn best_flow(options: &RunOptions, size: (u32, u32)) -> RunOptions {
    // Evidence, starts and weights of edges hold for one size only.
    let one_size = options.start.is_some() || options.fixed.is_some() || options.edge_weights.is_some();
    RunOptions {
        application: ApplicationOptions {
            data: Some(DataTerm::Robust),
            support: Some(support(4, size)),
            grid: Some(if one_size { 2 } else { 4 }),
            levels: Some(if one_size { 1 } else { 2 }),
            ..ApplicationOptions::default()
        },
        window: options.labels.is_none().then_some(15),
        alpha: Some(1.0),
        beta: Some(8.0),
        cap: Some(255),
        data_cap: Some(100),
        outside: Some(60),
        anneal: Some(Anneal { from: 12.0, to: 4.0, steps: None }),
        ..RunOptions::default()
    }
}

/// Classes by colour: squared differences, hence small weights.
fn colours() -> RunOptions {
    RunOptions {
        application: ApplicationOptions { colour: true, ..ApplicationOptions::default() },
        alpha: Some(0.01),
        beta: Some(64.0),
        data_cap: Some(65_535),
        anneal: Some(Anneal { from: 10.0, to: 1.0, steps: None }),
        ..RunOptions::default()
    }
}

/// Caps of data terms whose costs are larger than differences of grey values.
fn magnitudes(term: DataTerm) -> RunOptions {
    match term {
        DataTerm::Census | DataTerm::Robust => {
            RunOptions { data_cap: Some(128), outside: Some(60), ..RunOptions::default() }
        }
        _ => RunOptions::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: (u32, u32) = (384, 288);

    #[test]
    fn support_shrinks_with_small_pictures() {
        let of = |size| {
            let mut given = RunOptions::default();
            given.application.preset = Some(Preset::Best);
            let of = |application| options(&application, &given, size).application.support.unwrap();
            (of(Application::Stereo { dmin: 0 }), of(Application::Flow { window: 7 }))
        };
        assert_eq!(of((450, 375)), (9, 4));
        assert_eq!(of((450, 240)), (9, 4));
        assert_eq!(of((120, 300)), (5, 2));
        assert_eq!(of((40, 30)), (1, 1));
        assert_eq!(of((8, 8)), (0, 0));
    }

    #[test]
    fn options_go_before_presets_and_presets_before_defaults() {
        let mut given = RunOptions::default();
        let stereo = Application::Stereo { dmin: 0 };
        assert_eq!(options(&stereo, &given, LARGE), RunOptions::default());
        given.application.preset = Some(Preset::Best);
        assert_eq!(options(&stereo, &given, LARGE).data_cap, Some(128));
        given.application.data = Some(DataTerm::Colour);
        given.beta = Some(3.0);
        let used = given.clone().or(options(&stereo, &given, LARGE));
        assert_eq!((used.application.data, used.beta), (Some(DataTerm::Colour), Some(3.0)));
        assert_eq!(used.application.support, Some(9));
        given.costs = Some("costs.npy".into());
        assert_eq!(options(&stereo, &given, LARGE).application.support, None);
    }

    #[test]
    fn colours_and_large_terms_bring_their_magnitudes() {
        let mut given = RunOptions::default();
        given.application.colour = true;
        assert_eq!(options(&Application::Segment, &given, LARGE).alpha, Some(0.01));
        let mut given = RunOptions::default();
        given.application.data = Some(DataTerm::Census);
        assert_eq!(options(&Application::Flow { window: 7 }, &given, LARGE).data_cap, Some(128));
    }
}

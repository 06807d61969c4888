//! Segmentation: classes by colour, and by what people have marked.

use super::prepare::Prepared;
use super::{Application, classes};
use crate::error::{Error, Result};
use crate::formats::Kind;
use crate::options::RunOptions;
use crate::picture::{Picture, grey};
use crate::plan::{Inputs, Special, plan, plan_with, read_plane, twice};
use spa_model::{Singleton, Start};
use spagen::Build;
use std::path::Path;

/// Prepares the job; see [`super::prepare::prepare`].
///
/// # Errors
/// As there; [`Error::File`] for scribbles that leave a class out.
pub fn prepare(
    application: &Application,
    options: &RunOptions,
    build: Option<&Build>,
    inputs: &Inputs,
) -> Result<Prepared> {
    let o = &options.application;
    let picture = &inputs.first;
    let by_colour = o.colour || o.colours.is_some();
    let given = [options.values.is_some(), o.colours.is_some(), options.costs.is_some()];
    if given.iter().filter(|&&given| given).count() > 1 {
        return Err(Error::usage("--values, --colours and --costs exclude each other; keep one"));
    }
    if by_colour && options.singleton.is_some() {
        return Err(Error::usage(
            "--singleton is for grey values; classes by colour have the squared distance of colours",
        ));
    }
    if o.scribbles.is_some() && (options.start.is_some() || options.fixed.is_some()) {
        return Err(Error::usage("--scribbles sets --start and --fixed; leave those out"));
    }
    let scribbles =
        o.scribbles.as_deref().map(|path| read_scribbles(path, picture, options.labels)).transpose()?;
    let mut options = options.clone();
    if let Some(colours) = &o.colours {
        options.labels = options.labels.or(u16::try_from(colours.len()).ok());
    }
    if let Some(values) = &options.values {
        options.labels = options.labels.or(u16::try_from(values.len()).ok());
    }
    if let (Some(scribbles), None) = (&scribbles, options.labels) {
        options.labels = scribbles.iter().copied().max().map(|most| u16::from(most).max(2));
    }
    let labels = options.labels.unwrap_or(application.defaults().labels);
    let marked = match (&scribbles, &o.scribbles) {
        (Some(scribbles), Some(path)) => Some(class_means(&picture.rgb, scribbles, labels, path)?),
        _ => None,
    };
    let mut special = Special::default();
    if by_colour {
        let colours: Vec<[u8; 3]> = match (&o.colours, &marked) {
            (Some(colours), _) if colours.len() != usize::from(labels) => {
                return Err(Error::usage(format!(
                    "colours has {} entries, but there are {labels} labels; give one for each",
                    colours.len()
                )));
            }
            (Some(colours), _) if twice(colours).is_some() => {
                let colour: String = twice(colours).map(Into::into).unwrap_or_default();
                return Err(Error::usage(format!(
                    "colours has {colour} twice, so two classes would be the same; give every class its own"
                )));
            }
            (Some(colours), _) => colours.iter().map(|c| c.0).collect(),
            (None, Some(marked)) => marked.clone(),
            (None, None) => classes::class_colours(&picture.rgb, labels),
        };
        let costs =
            picture.rgb.iter().flat_map(|&p| colours.iter().map(move |&c| classes::distance(p, c))).collect();
        special.values = Some(colours.iter().map(|&c| grey(c)).collect());
        special.singleton = Some(Singleton::Table { costs });
    } else if let (Some(marked), None) = (&marked, &options.values) {
        options.values = Some(marked.iter().map(|&c| grey(c)).collect());
    }
    let Some(scribbles) = scribbles else {
        return Ok(Prepared::plain(plan_with(application, &options, build, inputs, special)?));
    };
    // Known pixels keep their class, all others start from the class that fits best.
    let first = match &special.singleton {
        Some(_) => plan_with(application, &options, build, inputs, special.clone())?,
        None => plan(application, &options, build, inputs)?,
    };
    let mut start = first.job.initial_labels();
    for (label, &class) in start.iter_mut().zip(&scribbles) {
        *label = class.checked_sub(1).unwrap_or(*label);
    }
    special.start = Some(Start::Labels(start));
    special.fixed = Some(scribbles.iter().map(|&class| class > 0).collect());
    Ok(Prepared::plain(plan_with(application, &options, build, inputs, special)?))
}

/// Classes + 1 of known pixels, 0 elsewhere; of a picture in colour by [`of_colours`].
fn read_scribbles(path: &Path, picture: &Picture, labels: Option<u16>) -> Result<Vec<u8>> {
    let coloured = match Kind::for_action(path, "read scribbles")? {
        Kind::Npy => None,
        _ => Some(Picture::open(path)?).filter(|marks| marks.rgb.iter().any(|[r, g, b]| r != g || g != b)),
    };
    let values = match coloured {
        Some(marks) => {
            picture.check_size("scribbles", path, marks.size())?;
            of_colours(path, &marks.rgb, labels.unwrap_or(FEW_COLOURS))?
        }
        None => {
            let (width, height, values) = read_plane(path)?;
            picture.check_size("scribbles", path, (width, height))?;
            values
        }
    };
    if values.iter().all(|&v| v == 0) {
        return Err(Error::file("use scribbles", path, "no pixel is marked; class + 1 marks one"));
    }
    Ok(values)
}

/// Colours of scribbles that are taken without `--labels`: more come from soft brushes and photographs.
const FEW_COLOURS: u16 = 16;

/// Classes + 1 by colour: black marks nothing, all other colours are classes, from the darkest to the lightest.
fn of_colours(path: &Path, pixels: &[[u8; 3]], most: u16) -> Result<Vec<u8>> {
    let order = |&[r, g, b]: &[u8; 3]| (grey([r, g, b]), r, g, b);
    let mut colours = pixels.to_vec();
    colours.retain(|&colour| colour != [0; 3]);
    colours.sort_unstable_by_key(order);
    colours.dedup();
    if colours.len() > usize::from(most.min(255)) {
        let cause = format!(
            "it has {} colours besides black, which marks nothing, but every colour is a class, and there are {most} at most; \
             draw with a hard brush (no smooth edges) and save as PNG, say --labels, or give a grey picture or .npy of class + 1",
            colours.len()
        );
        return Err(Error::file("use scribbles", path, cause));
    }
    let named: Vec<String> =
        colours.iter().enumerate().map(|(n, [r, g, b])| format!("#{r:02x}{g:02x}{b:02x} is {n}")).collect();
    eprintln!(
        "note: classes by the colours of '{}', black marks nothing: {}",
        path.display(),
        named.join(", ")
    );
    // At most 255 colours.
    let class = |pixel: &[u8; 3]| {
        colours.binary_search_by_key(&order(pixel), order).map_or(0, |place| place as u8 + 1)
    };
    Ok(pixels.iter().map(class).collect())
}

/// Mean colour of the marked pixels of every class.
fn class_means(pixels: &[[u8; 3]], scribbles: &[u8], labels: u16, path: &Path) -> Result<Vec<[u8; 3]>> {
    let mut seen = vec![false; labels.into()];
    let (mut marked, mut classes) = (Vec::new(), Vec::new());
    for (&pixel, class) in pixels.iter().zip(scribbles).filter_map(|(p, s)| Some((p, s.checked_sub(1)?))) {
        let Some(seen) = seen.get_mut(usize::from(class)) else {
            let cause = format!("it marks class {class}, but there are {labels} labels (0…{})", labels - 1);
            return Err(Error::file("use scribbles", path, cause));
        };
        *seen = true;
        marked.push(pixel);
        classes.push(usize::from(class));
    }
    if let Some(class) = seen.iter().position(|seen| !seen) {
        let cause =
            format!("class {class} of {labels} has no marked pixel; mark some, or use fewer --labels");
        return Err(Error::file("use scribbles", path, cause));
    }
    Ok(classes::mean_colours(&marked, &classes, &vec![[0; 3]; labels.into()]))
}

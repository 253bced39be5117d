//! Compiles Bullet and our shim with a C++ compiler.
//!
//! The sources come from the crate `rubullet-sys`, which is not a dependency of any target: cargo locks, fetches and vendors it but never
//! builds it. `cargo metadata` prints its path.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// What we compile of Bullet, relative to its `src` folder.
const BULLET: &[&str] = &[
    "BulletCollision/BroadphaseCollision/btDbvt.cpp",
    "BulletCollision/CollisionDispatch/btCollisionObject.cpp",
    "BulletCollision/CollisionShapes/btCapsuleShape.cpp",
    "BulletCollision/CollisionShapes/btCollisionShape.cpp",
    "BulletCollision/CollisionShapes/btCompoundShape.cpp",
    "BulletCollision/CollisionShapes/btConvexInternalShape.cpp",
    "BulletCollision/CollisionShapes/btConvexShape.cpp",
    "BulletCollision/CollisionShapes/btMultiSphereShape.cpp",
    "BulletCollision/CollisionShapes/btSphereShape.cpp",
    "BulletCollision/NarrowPhaseCollision/btPersistentManifold.cpp",
    "BulletDynamics/Featherstone/btMultiBody.cpp",
    "LinearMath/btAlignedAllocator.cpp",
    "LinearMath/btVector3.cpp",
];

/// Our own code over it.
const SHIM: &[&str] =
    &["shim/contacts.cpp", "shim/response.cpp", "shim/solver.cpp", "shim/world.cpp"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=shim");
    if let Err(message) = build() {
        eprintln!("\nerror: cannot build Bullet: {message}\n");
        exit(1);
    }
}

fn build() -> Result<(), String> {
    let sources = bullet_sources()?;
    println!("cargo:rerun-if-changed={}", sources.join("btBulletDynamicsCommon.h").display());

    let mut compiler = cc::Build::new();
    compiler
        .cpp(true)
        .std("c++14")
        .include(&sources)
        .define("BT_USE_DOUBLE_PRECISION", None)
        .define("BT_NO_PROFILE", None)
        .opt_level(3)
        .debug(false)
        .warnings(false)
        .flag_if_supported("-ffp-contract=off") // a fused multiply-add would change the last bit
        .flag_if_supported("-fno-math-errno")
        .flag_if_supported("-fno-exceptions")
        .flag_if_supported("-fno-rtti");
    check_runs(&compiler)?;

    compiler
        .files(BULLET.iter().map(|file| sources.join(file)))
        .files(SHIM)
        .try_compile("tutelage_bullet")
        .map_err(|error| format!("the C++ compiler failed: {error}"))
}

/// Says what is missing before the first of many files fails to compile.
fn check_runs(compiler: &cc::Build) -> Result<(), String> {
    let advice = "install g++ or clang++, or name one in the variable CXX";
    let tool = compiler
        .try_get_compiler()
        .map_err(|error| format!("there is no C++ compiler ({error}); {advice}"))?;
    match Command::new(tool.path()).arg("--version").output() {
        Ok(_) => Ok(()),
        Err(error) => Err(format!(
            "the C++ compiler `{}` does not run ({error}); {advice}",
            tool.path().display()
        )),
    }
}

/// The `src` folder of Bullet inside the unpacked `rubullet-sys` crate.
fn bullet_sources() -> Result<PathBuf, String> {
    // Without the network first: a later build must work offline. An ordinary build does not fetch a dependency of no target, so the
    // first build ever may have to.
    let manifest = rubullet_manifest(&["--offline"]).or_else(|_| rubullet_manifest(&[])).map_err(|error| {
        format!("its sources, which the crate rubullet-sys carries, were not found; `cargo fetch` gets them when there is a network\n{error}")
    })?;
    let sources = manifest.with_file_name("bullet3").join("libbullet3").join("src");
    if sources.join(BULLET[0]).is_file() {
        Ok(sources)
    } else {
        Err(format!("its sources are missing from {}", sources.display()))
    }
}

/// Where cargo keeps the manifest of `rubullet-sys`.
fn rubullet_manifest(options: &[&str]) -> Result<PathBuf, String> {
    let own_manifest =
        Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(|error| error.to_string())?)
            .join("Cargo.toml");
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(own_manifest)
        .args(options)
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .filter(|package| package["name"] == "rubullet-sys")
        .find_map(|package| package["manifest_path"].as_str().map(PathBuf::from))
        .ok_or_else(|| "cargo metadata does not list rubullet-sys".to_owned())
}

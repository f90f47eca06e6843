// Package cook turns folders of source files into one pack.
//
// [Run] walks its folders, gives each file to the importer of its ending,
// spools what comes out beside the pack, and writes the pack in order of
// entry names. Three properties hold whatever happens on the way:
//
//   - The bytes of the pack depend on the content and paths of the source
//     files and on [Version] alone: not on the number of jobs, the order of
//     the walk, file times, or what could be reused.
//   - The pack at the output path is the old one or the new one, complete,
//     also when the process is killed.
//   - A file that cannot be cooked is reported once, with its reason, and does
//     not keep others from being cooked.
//
// A cooked pack remembers in its entry [ManifestName] what each source file
// held and what it read on the way. The next run with the same output copies
// the entries of files for which all that is unchanged. Its entry
// [RegistryName] lists a UUID for each asset.
//
// docs/cooking.md says what is cooked into what.
package cook

// Package pack keeps cooked assets in zip files, and reads them as an
// [assets.Source].
//
// Any zip tool can list a pack, and bsdtar and 7-Zip extract it. What a pack
// adds to a plain zip file is only how entries are laid out:
//
//   - Raw entries (method 0) start at a multiple of 64 bytes, so that they can
//     be mapped and read in ranges.
//   - Other entries (method 93) are a sequence of independent zstd frames of at
//     most [FrameBytesMax] of content, each with its size and checksum. The
//     frame is the unit of decoding: a range read starts at the right frame,
//     and a decode yields after each.
//   - An entry whose size is a multiple of [FrameBytesMax] ends in an empty
//     skippable frame, because libarchive 3.6 otherwise reads past the last
//     frame's end and reports it as truncated.
//   - Entries are sorted by name and carry a fixed time stamp, so that equal
//     content gives an equal file.
//
// Zip files made by other tools are read as well: stored, deflate and zstd
// entries, in any order. Packs over 4 GiB and over 65,535 entries use zip64;
// a single entry of this package's [Writer] is under 4 GiB.
//
// # How long bytes stay valid
//
// A mapping lease ([assets.Lease]) stays valid after its entry and pack are
// closed; the file's mapping goes with the last lease. Replacing or deleting
// the pack file leaves leases intact. Truncating the file in place makes
// mapped bytes fault: reads of mapped bytes go through [assets.Guard].
package pack

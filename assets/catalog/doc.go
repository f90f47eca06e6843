// Package catalog follows sources on disk while a program uses them: folders
// whose files are saved, and packs that are cooked anew.
//
// A [Follower] tells which entries changed, once each change is complete. It
// changes nothing itself: who uses the sources lets go of what they hold, puts
// a new pack in the old one's place, and reloads.
//
// A pack is read anew when its file was replaced. Where its entries have the
// same sizes and checksums as before it is no change at all. Packs must be
// replaced by renaming, as the cook does; one that is written in place is
// damaged under its readers.
package catalog

/// Tracks, and lists of them.
library player;

export 'src/playlist.dart' show Lengths, Playlist, TooLong; // ⟦ ref Lengths import ; ref Playlist import ; ref TooLong import ⟧
export 'src/track.dart';

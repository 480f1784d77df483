import 'track.dart';

typedef Choice = bool Function(Track track); // ⟦ def Choice ; ref Track type ⟧

class TooLong implements Exception { // ⟦ def TooLong ⟧
  final Track track; // ⟦ def TooLong.track ; ref Track type ⟧

  TooLong(this.track); // ⟦ ref TooLong.track write ; may TooLong ⟧
}

class Playlist extends Playable { // ⟦ def Playlist ; ref Playable type ; impl Playlist of Playable ⟧
  final List<Track> _tracks = []; // ⟦ def Playlist._tracks ; ref Track type ⟧

  @override
  int get seconds => _tracks.fold(0, (sum, track) => sum + track.seconds); // ⟦ def Playlist.seconds ; impl Playlist.seconds of Playable.seconds ; ref Playlist._tracks read ; ref Track.seconds read ⟧

  Playlist add(Track track) { // ⟦ def Playlist.add ; ref Playlist type ; ref Track type ⟧
    if (track.seconds > longest) throw TooLong(track); // ⟦ ref Track.seconds read ; ref longest read ; call TooLong from Playlist.add ⟧
    _tracks.add(track); // ⟦ ref Playlist._tracks read ⟧
    return this;
  }

  @override
  String play() { // ⟦ def Playlist.play ; impl Playlist.play of Playable.play ⟧
    final lines = <String>[];
    for (final track in _tracks) { // ⟦ ref Playlist._tracks read ⟧
      lines.add(track.play()); // ⟦ call Track.play from Playlist.play ; may Episode.play ⟧
    }
    return lines.join('\n');
  }

  Playlist where(Choice choice) { // ⟦ def Playlist.where ; ref Playlist type ; ref Choice type ⟧
    final chosen = Playlist(); // ⟦ call Playlist from Playlist.where ⟧
    _tracks.where(choice).forEach(chosen.add); // ⟦ ref Playlist._tracks read ; ref Playlist.add read ⟧
    return chosen;
  }

  static Playlist sample() { // ⟦ def Playlist.sample ; ref Playlist type ⟧
    final jazz = Track('Blue', 340, Genre.jazz)..rate(5); // ⟦ call Track from Playlist.sample ; ref Genre ; ref Genre.jazz read ; call Rated.rate from Playlist.sample ⟧
    return Playlist().add(jazz).add(Track.jingle()); // ⟦ call Playlist from Playlist.sample ; call Playlist.add from Playlist.sample ; ref Track ; call Track.jingle from Playlist.sample ⟧
  }
}

extension Lengths on Playlist { // ⟦ def Lengths ; ref Playlist type ⟧
  bool isShort() => seconds < longest ~/ 2; // ⟦ def Lengths.isShort ; ref Playlist.seconds read ; ref longest read ⟧
}

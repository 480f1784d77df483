/// The longest track that a playlist takes, in seconds.
const int longest = 3600; // ⟦ def longest ⟧

enum Genre { // ⟦ def Genre ⟧
  jazz, // ⟦ def Genre.jazz ⟧
  rock, // ⟦ def Genre.rock ⟧
  speech, // ⟦ def Genre.speech ⟧
}

abstract class Playable { // ⟦ def Playable ⟧
  int get seconds; // ⟦ def Playable.seconds ⟧

  String play(); // ⟦ def Playable.play ⟧

  String describe() => '${play()} (${clock(seconds)})'; // ⟦ def Playable.describe ; call Playable.play from Playable.describe ; may Track.play, Episode.play, Playlist.play ; call clock from Playable.describe ; ref Playable.seconds read ; may Track.seconds, Playlist.seconds ⟧
}

mixin Rated { // ⟦ def Rated ⟧
  int stars = 0; // ⟦ def Rated.stars ⟧

  void rate(int given) { // ⟦ def Rated.rate ⟧
    stars = given.clamp(0, 5); // ⟦ ref Rated.stars write ⟧
  }
}

class Track extends Playable with Rated { // ⟦ def Track ; ref Playable type ; ref Rated type ; impl Track of Playable ; impl Track of Rated ⟧
  final String title; // ⟦ def Track.title ⟧
  final Genre genre; // ⟦ def Track.genre ; ref Genre type ⟧

  @override
  final int seconds; // ⟦ def Track.seconds ; impl Track.seconds of Playable.seconds ⟧

  Track(String name, int length, [this.genre = Genre.rock]) // ⟦ ref Track.genre write ; ref Genre ; ref Genre.rock read ; may Track ⟧
      : title = name, // ⟦ ref Track.title write ⟧
        seconds = length; // ⟦ ref Track.seconds write ⟧

  Track.jingle() : this('jingle', 5, Genre.speech); // ⟦ def Track.jingle ; ref Genre ; ref Genre.speech read ; may Track ⟧

  @override
  String play() => 'playing $title'; // ⟦ def Track.play ; impl Track.play of Playable.play ; ref Track.title read ⟧
}

class Episode extends Track { // ⟦ def Episode ; ref Track type ; impl Episode of Track ⟧
  Episode(String name) : super(name, 1800, Genre.speech); // ⟦ ref Genre ; ref Genre.speech read ; may Episode, Track ⟧

  @override
  String play() => super.play() + ' once'; // ⟦ def Episode.play ; impl Episode.play of Track.play ; call Track.play from Episode.play ⟧
}

/// Minutes and seconds, as on a clock.
String clock(int seconds) { // ⟦ def clock ⟧
  final rest = (seconds % 60).toString().padLeft(2, '0');
  return '${seconds ~/ 60}:$rest';
}

import '../lib/player.dart';

void check(bool good) { // ⟦ def check ⟧
  if (!good) throw StateError('failed');
}

void testRefusesLongTracks() { // ⟦ def testRefusesLongTracks ⟧
  final track = Track('Ring', longest + 1); // ⟦ call Track from testRefusesLongTracks ; ref longest read ⟧
  try {
    Playlist().add(track); // ⟦ call Playlist from testRefusesLongTracks ; call Playlist.add from testRefusesLongTracks ⟧
    check(false); // ⟦ call check from testRefusesLongTracks ⟧
  } on TooLong catch (problem) { // ⟦ ref TooLong type ⟧
    check(problem.track.title == 'Ring'); // ⟦ call check from testRefusesLongTracks ; ref TooLong.track read ; ref Track.title read ⟧
  }
}

void testPlays() { // ⟦ def testPlays ⟧
  final news = Episode('News'); // ⟦ call Episode from testPlays ⟧
  check(news.play() == 'playing News once'); // ⟦ call check from testPlays ; call Episode.play from testPlays ⟧
  check(clock(news.seconds) == '30:00'); // ⟦ call check from testPlays ; call clock from testPlays ; ref Track.seconds read ⟧
  final Playable thing = Track.jingle(); // ⟦ ref Playable type ; ref Track ; call Track.jingle from testPlays ⟧
  check(thing.play().isNotEmpty); // ⟦ call check from testPlays ; call Playable.play from testPlays ; may Track.play, Episode.play, Playlist.play ⟧
}

void main() { // ⟦ def test.main ⟧
  testRefusesLongTracks(); // ⟦ call testRefusesLongTracks from test.main ⟧
  testPlays(); // ⟦ call testPlays from test.main ⟧
}

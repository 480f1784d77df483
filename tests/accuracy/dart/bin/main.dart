import '../lib/player.dart';
import '../lib/src/track.dart' as tracks show clock; // ⟦ ref clock import ⟧

bool isGood(Track track) => track.stars > 3 && track.genre != Genre.speech; // ⟦ def isGood ; ref Track type ; ref Rated.stars read ; ref Track.genre read ; ref Genre ; ref Genre.speech read ⟧

String clock(Playable thing) { // ⟦ def main.clock ; ref Playable type ⟧
  return 'takes ' + tracks.clock(thing.seconds); // ⟦ call clock from main.clock ; ref Playable.seconds read ; may Track.seconds, Playlist.seconds ⟧
}

void main() { // ⟦ def main ⟧
  final list = Playlist.sample().add(Episode('News')); // ⟦ ref Playlist ; call Playlist.sample from main ; call Playlist.add from main ; call Episode from main ⟧
  print(list.describe()); // ⟦ call Playable.describe from main ⟧
  final best = list.where(isGood); // ⟦ call Playlist.where from main ; ref isGood read ⟧
  print(best.isShort() ? best.play() : 'play later'); // ⟦ call Lengths.isShort from main ; call Playlist.play from main ⟧
  print(clock(best)); // ⟦ call main.clock from main ⟧
}

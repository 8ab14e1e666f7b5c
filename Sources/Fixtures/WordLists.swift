/// The words behind `$name` and `$words`.
///
/// INVARIANT: version 1 of the seed format names these lists: an entry that is changed, added, removed or
/// moved changes generated values. The tests hold them by a checksum.

enum WordLists {
  static func person(_ stream: inout RandomStream) -> String {
    let given = givenNames[stream.index(of: givenNames.count)]
    return given + " " + familyNames[stream.index(of: familyNames.count)]
  }

  /// As `Quiet River Yoga`.
  static func studio(_ stream: inout RandomStream) -> String {
    let first = studioQualities[stream.index(of: studioQualities.count)]
    let second = studioPlaces[stream.index(of: studioPlaces.count)]
    return first + " " + second + " " + studioKinds[stream.index(of: studioKinds.count)]
  }

  /// Words with a capital at the beginning and a full stop at the end.
  static func sentence(of count: Int, _ stream: inout RandomStream) -> String {
    var bytes: [UInt8] = []
    for position in 0..<count {
      if position > 0 { bytes.append(UInt8(ascii: " ")) }
      bytes.append(contentsOf: words[stream.index(of: words.count)].utf8)
    }
    // The words are lower case ASCII.
    if let first = bytes.first { bytes[0] = first - 32 }
    bytes.append(UInt8(ascii: "."))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Given names.
  static let givenNames: [String] = [
    "Adele", "Aisha", "Alejandro", "Amara", "Anika", "Anton", "Arjun", "Astrid", "Ayumi", "Beatriz",
    "Bela", "Benedikt", "Bianca", "Callum", "Camille", "Chidi", "Clara", "Dalia", "Darius", "Diego",
    "Dorota", "Eamon", "Ebba", "Elif", "Emeka", "Esther", "Farah", "Felix", "Fergus", "Fiona", "Freya",
    "Gabor", "Gemma", "Giulia", "Hana", "Harriet", "Henrik", "Ibrahim", "Ilona", "Imogen", "Ines", "Isla",
    "Ivo", "Jasmin", "Jonas", "Juno", "Kamal", "Katya", "Keiko", "Lars", "Layla", "Leonie", "Linnea",
    "Luca", "Magnus", "Maya", "Mateo", "Mina", "Nadia", "Nils", "Noor", "Oksana", "Olivia", "Omar",
    "Paloma", "Petra", "Priya", "Quentin", "Rafael", "Rhea", "Rosa", "Samira", "Sandor", "Selma", "Sofia",
    "Stefan", "Tamsin", "Theo", "Uma", "Viktor", "Wanda", "Xenia", "Yara", "Yusuf", "Zara", "Zoltan",
  ]

  /// Family names.
  static let familyNames: [String] = [
    "Abara", "Adeyemi", "Almeida", "Andersen", "Archer", "Baker", "Banerjee", "Barros", "Becker",
    "Bergström", "Bianchi", "Blake", "Botha", "Brennan", "Castillo", "Chen", "Conti", "Crane", "Dahl",
    "Darcy", "Desai", "Dubois", "Eklund", "Evans", "Farkas", "Fischer", "Fontaine", "Fraser", "Gallo",
    "Garnett", "Ghosh", "Grant", "Haddad", "Hale", "Halloran", "Hart", "Herrera", "Holt", "Horvath",
    "Ito", "Jansen", "Jarvis", "Kaplan", "Keane", "Khan", "Kimura", "Kovacs", "Kruger", "Lang", "Larsen",
    "Laurent", "Lindqvist", "Mahmoud", "Marlow", "Mensah", "Mercier", "Morales", "Moreau", "Nagy",
    "Nakamura", "Novak", "Nowak", "Oduya", "Okafor", "Olsen", "Osei", "Park", "Pereira", "Petrov",
    "Quinn", "Rahman", "Reyes", "Rossi", "Sato", "Schmidt", "Sharma", "Silva", "Sinclair", "Sokolov",
    "Soto", "Takeda", "Thorne", "Varga", "Vasquez", "Vogel", "Walsh", "Weber", "Winter", "Yilmaz", "Zhou",
  ]

  /// The first word of a studio's name.
  static let studioQualities: [String] = [
    "Quiet", "Warm", "Bright", "Open", "Still", "Golden", "Silver", "Gentle", "Lower", "Upper", "Hidden",
    "Little", "Northern", "Southern", "Morning", "Evening", "Summer", "Winter", "Green", "Blue", "White",
    "Amber", "Copper", "Cedar", "Willow", "Maple", "Juniper", "Saffron", "Coral", "Velvet",
  ]

  /// The second word of a studio's name.
  static let studioPlaces: [String] = [
    "River", "Lotus", "Garden", "Harbour", "Meadow", "Mountain", "Moon", "Sun", "Bridge", "Lantern",
    "Orchard", "Forest", "Tide", "Stone", "Sky", "Feather", "Lane", "Mill", "Pond", "Terrace", "Valley",
    "Wave", "Heron", "Swallow", "Fern", "Thistle", "Attic", "Loft", "Anchor", "Compass",
  ]

  /// The last words of a studio's name.
  static let studioKinds: [String] = [
    "Yoga", "Yoga Studio", "Yoga House", "Yoga Room", "Studio", "Yoga Loft", "Movement",
    "Pilates and Yoga", "Hot Yoga", "Yoga Collective", "Yoga Centre", "Breath Studio",
  ]

  /// Words of sentences: lower case ASCII, at most 12 bytes.
  static let words: [String] = [
    "air", "ankle", "arm", "asana", "autumn", "awake", "balance", "bamboo", "beach", "begin", "belly",
    "bench", "blanket", "blend", "block", "bloom", "blue", "body", "bolster", "bow", "branch", "breath",
    "breathe", "breeze", "bridge", "bright", "calm", "candle", "cat", "centre", "chair", "chest", "child",
    "circle", "class", "clear", "cloud", "cobra", "comfort", "cool", "corner", "core", "cow", "crane",
    "curve", "dance", "dawn", "day", "deep", "door", "dove", "down", "drift", "dusk", "eagle", "earth",
    "ease", "east", "easy", "edge", "elbow", "end", "energy", "evening", "exhale", "eye", "field",
    "fingers", "fire", "firm", "flat", "flexible", "float", "floor", "flow", "focus", "fold", "follow",
    "foot", "forest", "forward", "free", "fresh", "friend", "full", "garden", "gather", "gaze", "gentle",
    "glow", "gold", "grace", "grass", "green", "ground", "group", "grow", "half", "hall", "hand", "happy",
    "hard", "harbour", "hatha", "head", "health", "heart", "heavy", "heel", "high", "hill", "hip", "hold",
    "home", "hour", "house", "inhale", "inner", "inside", "join", "joy", "kind", "knee", "lake", "last",
    "leaf", "lean", "learn", "leg", "length", "level", "lift", "light", "line", "listen", "little",
    "long", "loose", "lotus", "low", "lunch", "lunge", "many", "mat", "meadow", "meet", "middle", "mind",
    "mirror", "moment", "monday", "month", "moon", "morning", "mountain", "move", "music", "narrow",
    "nature", "neck", "new", "night", "noon", "north", "ocean", "open", "outer", "pace", "park", "path",
    "pause", "peace", "pigeon", "place", "plain", "plank", "play", "plenty", "pose", "practice", "press",
    "props", "pull", "quick", "quiet", "rain", "reach", "ready", "relax", "release", "rest", "rhythm",
    "right", "ring", "rise", "river", "road", "roll", "room", "root", "round", "row", "sage", "salt",
    "sand", "school", "sea", "season", "seat", "sense", "series", "seven", "shade", "shape", "share",
    "shell", "shift", "shoulder", "side", "silence", "silver", "simple", "sit", "six", "sky", "slow",
    "small", "smile", "snow", "soft", "song", "south", "space", "spine", "spiral", "spring", "stable",
    "stand", "star", "start", "stay", "steady", "step", "still", "stone", "stop", "strap", "stream",
    "street", "strength", "stretch", "strong", "studio", "summer", "sun", "sunday", "sunrise", "surf",
    "sweet", "swim", "table", "tall", "tea", "teach", "thread", "thumb", "thursday", "tide", "time",
    "together", "toes", "tomorrow", "tone", "tree", "triangle", "trust", "tuesday", "turn", "twist",
    "under", "up", "upper", "valley", "view", "vinyasa", "voice", "walk", "wall", "warm", "warrior",
    "watch", "water", "wave", "way", "week", "weight", "west", "wheel", "white", "whole", "wide", "wind",
    "window", "winter", "wood", "word", "world", "wrist", "yin", "yoga", "young", "zen",
  ]
}

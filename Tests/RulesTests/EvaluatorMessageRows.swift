/// Messages of faults: the official emulator's words. Recorded from version 1.19.9.

let messageRows: [(expression: String, message: String)] = [
  (
    "null < null",
    "Unsupported operation error. Received: null < null. Expected: string < string, bytes < bytes, int < int, float < float, duration < duration, timestamp < timestamp, constraint < any, any < constraint."
  ),
  (
    "null < true",
    "Unsupported operation error. Received: null < bool. Expected: string < string, bytes < bytes, int < int, float < float, duration < duration, timestamp < timestamp, constraint < any, any < constraint."
  ),
  (
    "null <= null",
    "Unsupported operation error. Received: null <= null. Expected: string <= string, bytes <= bytes, int <= int, float <= float, duration <= duration, timestamp <= timestamp, constraint <= any, any <= constraint."
  ),
  (
    "null <= true",
    "Unsupported operation error. Received: null <= bool. Expected: string <= string, bytes <= bytes, int <= int, float <= float, duration <= duration, timestamp <= timestamp, constraint <= any, any <= constraint."
  ),
  (
    "null > null",
    "Unsupported operation error. Received: null > null. Expected: string > string, bytes > bytes, int > int, float > float, duration > duration, timestamp > timestamp, constraint > any, any > constraint."
  ),
  (
    "null > true",
    "Unsupported operation error. Received: null > bool. Expected: string > string, bytes > bytes, int > int, float > float, duration > duration, timestamp > timestamp, constraint > any, any > constraint."
  ),
  (
    "null >= null",
    "Unsupported operation error. Received: null >= null. Expected: string >= string, bytes >= bytes, int >= int, float >= float, duration >= duration, timestamp >= timestamp, constraint >= any, any >= constraint."
  ),
  (
    "null >= true",
    "Unsupported operation error. Received: null >= bool. Expected: string >= string, bytes >= bytes, int >= int, float >= float, duration >= duration, timestamp >= timestamp, constraint >= any, any >= constraint."
  ),
  (
    "(null + null) == 1",
    "Unsupported operation error. Received: null + null. Expected: int + int, float + float, string + string, duration + duration, duration + timestamp, timestamp + duration."
  ),
  (
    "(null + true) == 1",
    "Unsupported operation error. Received: null + bool. Expected: int + int, float + float, string + string, duration + duration, duration + timestamp, timestamp + duration."
  ),
  (
    "(null - null) == 1",
    "Unsupported operation error. Received: null - null. Expected: int - int, float - float, duration - duration, timestamp - duration, timestamp - timestamp."
  ),
  (
    "(null - true) == 1",
    "Unsupported operation error. Received: null - bool. Expected: int - int, float - float, duration - duration, timestamp - duration, timestamp - timestamp."
  ),
  (
    "(null * null) == 1",
    "Unsupported operation error. Received: null * null. Expected: int * int, float * float."
  ),
  (
    "(null * true) == 1",
    "Unsupported operation error. Received: null * bool. Expected: int * int, float * float."
  ),
  (
    "(null / null) == 1",
    "Unsupported operation error. Received: null / null. Expected: int / int, float / float."
  ),
  (
    "(null / true) == 1",
    "Unsupported operation error. Received: null / bool. Expected: int / int, float / float."
  ),
  (
    "(null % null) == 1",
    "Unsupported operation error. Received: null % null. Expected: int % int, float % float."
  ),
  (
    "(null % true) == 1",
    "Unsupported operation error. Received: null % bool. Expected: int % int, float % float."
  ),
  (
    "null in null",
    "Null value error."
  ),
  (
    "null in true",
    "Function not found error: Name: [in]."
  ),
  (
    "null in {'a': 1}",
    "Unsupported operation error. Received: map.in(null). Expected: map.in(string)."
  ),
  (
    "true in {'a': 1}",
    "Unsupported operation error. Received: map.in(bool). Expected: map.in(string)."
  ),
  (
    "true[null] == 1",
    "Function not found error: Name: [[]]."
  ),
  (
    "'a'[null] == 1",
    "Unsupported operation error. Received: string[null]. Expected: string[int]."
  ),
  (
    "'a'[true] == 1",
    "Unsupported operation error. Received: string[bool]. Expected: string[int]."
  ),
  (
    "'a'[2] == 1",
    "Index out of bound error. Index: [2] , size: [1]."
  ),
  (
    "path('a/b')[null] == 1",
    "Unsupported operation error. Received: path[null]. Expected: path[string], path[int]."
  ),
  (
    "path('a/b')[true] == 1",
    "Unsupported operation error. Received: path[bool]. Expected: path[string], path[int]."
  ),
  (
    "path('a/b')[2] == 1",
    "Index out of bound error. Index: [2] , size: [2]."
  ),
  (
    "path('a/b')['a'] == 1",
    "Property a is undefined on object."
  ),
  (
    "['a'][null] == 1",
    "Unsupported operation error. Received: list[null]. Expected: list[int]."
  ),
  (
    "['a'][true] == 1",
    "Unsupported operation error. Received: list[bool]. Expected: list[int]."
  ),
  (
    "{'a': 1}[null] == 1",
    "Unsupported operation error. Received: map[null]. Expected: map[string]."
  ),
  (
    "{'a': 1}[true] == 1",
    "Unsupported operation error. Received: map[bool]. Expected: map[string]."
  ),
  (
    "null && null",
    "Type error. Received: [null] Expected: [bool]."
  ),
  (
    "true && 2",
    "Type error. Received: [int] Expected: [bool]."
  ),
  (
    "true.size() != 77",
    "Function not found error: Name: [size]."
  ),
  (
    "true.matches('a') != 77",
    "Function not found error: Name: [matches]."
  ),
  (
    "true.replace('a', 'b') != 77",
    "Function not found error: Name: [replace]."
  ),
  (
    "true.split(',') != 77",
    "Function not found error: Name: [split]."
  ),
  (
    "true.lower() != 77",
    "Function not found error: Name: [lower]."
  ),
  (
    "true.upper() != 77",
    "Function not found error: Name: [upper]."
  ),
  (
    "true.trim() != 77",
    "Function not found error: Name: [trim]."
  ),
  (
    "true.toUtf8() != 77",
    "Function not found error: Name: [toUtf8]."
  ),
  (
    "true.concat(['b']) != 77",
    "Function not found error: Name: [concat]."
  ),
  (
    "true.hasAll(['a']) != 77",
    "Function not found error: Name: [hasAll]."
  ),
  (
    "true.hasAny(['a']) != 77",
    "Function not found error: Name: [hasAny]."
  ),
  (
    "true.hasOnly(['a']) != 77",
    "Function not found error: Name: [hasOnly]."
  ),
  (
    "true.removeAll(['a']) != 77",
    "Function not found error: Name: [removeAll]."
  ),
  (
    "true.join(',') != 77",
    "Function not found error: Name: [join]."
  ),
  (
    "true.toSet() != 77",
    "Function not found error: Name: [toSet]."
  ),
  (
    "true.keys() != 77",
    "Function not found error: Name: [keys]."
  ),
  (
    "true.values() != 77",
    "Function not found error: Name: [values]."
  ),
  (
    "true.get('a', 0) != 77",
    "Function not found error: Name: [get]."
  ),
  (
    "true.diff({}) != 77",
    "Function not found error: Name: [diff]."
  ),
  (
    "true.union(['b'].toSet()) != 77",
    "Function not found error: Name: [union]."
  ),
  (
    "true.difference(['a'].toSet()) != 77",
    "Function not found error: Name: [difference]."
  ),
  (
    "true.intersection(['a'].toSet()) != 77",
    "Function not found error: Name: [intersection]."
  ),
  (
    "true.addedKeys() != 77",
    "Function not found error: Name: [addedKeys]."
  ),
  (
    "true.removedKeys() != 77",
    "Function not found error: Name: [removedKeys]."
  ),
  (
    "true.changedKeys() != 77",
    "Function not found error: Name: [changedKeys]."
  ),
  (
    "true.unchangedKeys() != 77",
    "Function not found error: Name: [unchangedKeys]."
  ),
  (
    "true.affectedKeys() != 77",
    "Function not found error: Name: [affectedKeys]."
  ),
  (
    "true.toBase64() != 77",
    "Function not found error: Name: [toBase64]."
  ),
  (
    "true.toHexString() != 77",
    "Function not found error: Name: [toHexString]."
  ),
  (
    "true.year() != 77",
    "Function not found error: Name: [year]."
  ),
  (
    "true.month() != 77",
    "Function not found error: Name: [month]."
  ),
  (
    "true.day() != 77",
    "Function not found error: Name: [day]."
  ),
  (
    "true.hours() != 77",
    "Function not found error: Name: [hours]."
  ),
  (
    "true.minutes() != 77",
    "Function not found error: Name: [minutes]."
  ),
  (
    "true.seconds() != 77",
    "Function not found error: Name: [seconds]."
  ),
  (
    "true.nanos() != 77",
    "Function not found error: Name: [nanos]."
  ),
  (
    "true.dayOfWeek() != 77",
    "Function not found error: Name: [dayOfWeek]."
  ),
  (
    "true.dayOfYear() != 77",
    "Function not found error: Name: [dayOfYear]."
  ),
  (
    "true.toMillis() != 77",
    "Function not found error: Name: [toMillis]."
  ),
  (
    "true.date() != 77",
    "Function not found error: Name: [date]."
  ),
  (
    "true.time() != 77",
    "Function not found error: Name: [time]."
  ),
  (
    "true.latitude() != 77",
    "Function not found error: Name: [latitude]."
  ),
  (
    "true.longitude() != 77",
    "Function not found error: Name: [longitude]."
  ),
  (
    "true.distance(latlng.value(1, 2)) != 77",
    "Function not found error: Name: [distance]."
  ),
  (
    "true.bind({}) != 77",
    "Function not found error: Name: [bind]."
  ),
  (
    "true.startsWith('a') != 77",
    "Function not found error: Name: [startsWith]."
  ),
  (
    "'a'.matches(null) != 77",
    "Unsupported operation error. Received: string.matches(null). Expected: string.matches(string)."
  ),
  (
    "'a'.matches(true) != 77",
    "Unsupported operation error. Received: string.matches(bool). Expected: string.matches(string)."
  ),
  (
    "'a'.split(null) != 77",
    "Unsupported operation error. Received: string.split(null). Expected: string.split(string)."
  ),
  (
    "'a'.split(true) != 77",
    "Unsupported operation error. Received: string.split(bool). Expected: string.split(string)."
  ),
  (
    "['a'].concat(null) != 77",
    "Unsupported operation error. Received: list.concat(null). Expected: list.concat(list)."
  ),
  (
    "['a'].concat(true) != 77",
    "Unsupported operation error. Received: list.concat(bool). Expected: list.concat(list)."
  ),
  (
    "['a'].hasAll(null) != 77",
    "Unsupported operation error. Received: list.hasAll(null). Expected: list.hasAll(list)."
  ),
  (
    "['a'].hasAll(true) != 77",
    "Unsupported operation error. Received: list.hasAll(bool). Expected: list.hasAll(list)."
  ),
  (
    "['a'].hasAny(null) != 77",
    "Unsupported operation error. Received: list.hasAny(null). Expected: list.hasAny(list)."
  ),
  (
    "['a'].hasAny(true) != 77",
    "Unsupported operation error. Received: list.hasAny(bool). Expected: list.hasAny(list)."
  ),
  (
    "['a'].hasOnly(null) != 77",
    "Unsupported operation error. Received: list.hasOnly(null). Expected: list.hasOnly(list)."
  ),
  (
    "['a'].hasOnly(true) != 77",
    "Unsupported operation error. Received: list.hasOnly(bool). Expected: list.hasOnly(list)."
  ),
  (
    "['a'].removeAll(null) != 77",
    "Unsupported operation error. Received: list.removeAll(null). Expected: list.removeAll(list)."
  ),
  (
    "['a'].removeAll(true) != 77",
    "Unsupported operation error. Received: list.removeAll(bool). Expected: list.removeAll(list)."
  ),
  (
    "['a'].join(null) != 77",
    "Unsupported operation error. Received: list.join(null). Expected: list.join(string)."
  ),
  (
    "['a'].join(true) != 77",
    "Unsupported operation error. Received: list.join(bool). Expected: list.join(string)."
  ),
  (
    "{'a': 1}.diff(null) != 77",
    "Unsupported operation error. Received: map.diff(null). Expected: map.diff(map)."
  ),
  (
    "{'a': 1}.diff(true) != 77",
    "Unsupported operation error. Received: map.diff(bool). Expected: map.diff(map)."
  ),
  (
    "['a'].toSet().hasAll(null) != 77",
    "Unsupported operation error. Received: set.hasAll(null). Expected: set.hasAll(set), set.hasAll(list)."
  ),
  (
    "['a'].toSet().hasAll(true) != 77",
    "Unsupported operation error. Received: set.hasAll(bool). Expected: set.hasAll(set), set.hasAll(list)."
  ),
  (
    "['a'].toSet().hasAny(null) != 77",
    "Unsupported operation error. Received: set.hasAny(null). Expected: set.hasAny(set), set.hasAny(list)."
  ),
  (
    "['a'].toSet().hasAny(true) != 77",
    "Unsupported operation error. Received: set.hasAny(bool). Expected: set.hasAny(set), set.hasAny(list)."
  ),
  (
    "['a'].toSet().hasOnly(null) != 77",
    "Unsupported operation error. Received: set.hasOnly(null). Expected: set.hasOnly(set), set.hasOnly(list)."
  ),
  (
    "['a'].toSet().hasOnly(true) != 77",
    "Unsupported operation error. Received: set.hasOnly(bool). Expected: set.hasOnly(set), set.hasOnly(list)."
  ),
  (
    "['a'].toSet().union(null) != 77",
    "Unsupported operation error. Received: set.union(null). Expected: set.union(set)."
  ),
  (
    "['a'].toSet().union(true) != 77",
    "Unsupported operation error. Received: set.union(bool). Expected: set.union(set)."
  ),
  (
    "['a'].toSet().difference(null) != 77",
    "Unsupported operation error. Received: set.difference(null). Expected: set.difference(set)."
  ),
  (
    "['a'].toSet().difference(true) != 77",
    "Unsupported operation error. Received: set.difference(bool). Expected: set.difference(set)."
  ),
  (
    "['a'].toSet().intersection(null) != 77",
    "Unsupported operation error. Received: set.intersection(null). Expected: set.intersection(set)."
  ),
  (
    "['a'].toSet().intersection(true) != 77",
    "Unsupported operation error. Received: set.intersection(bool). Expected: set.intersection(set)."
  ),
  (
    "latlng.value(1, 2).distance(null) != 77",
    "Unsupported operation error. Received: latlng.distance(null). Expected: latlng.distance(latlng)."
  ),
  (
    "latlng.value(1, 2).distance(true) != 77",
    "Unsupported operation error. Received: latlng.distance(bool). Expected: latlng.distance(latlng)."
  ),
  (
    "path('a/b').bind(null) != 77",
    "Unsupported operation error. Received: path.bind(null). Expected: path.bind(map)."
  ),
  (
    "path('a/b').bind(true) != 77",
    "Unsupported operation error. Received: path.bind(bool). Expected: path.bind(map)."
  ),
  (
    "path('a/b').bind({'a': 1}) != 77",
    "Variable(s) a do not exist in the path template."
  ),
  (
    "math.abs(null) != 77",
    "Unsupported operation error. Received: math.abs(null). Expected: math.abs(int), math.abs(float)."
  ),
  (
    "math.abs(true) != 77",
    "Unsupported operation error. Received: math.abs(bool). Expected: math.abs(int), math.abs(float)."
  ),
  (
    "math.ceil(null) != 77",
    "Unsupported operation error. Received: math.ceil(null). Expected: math.ceil(float)."
  ),
  (
    "math.ceil(true) != 77",
    "Unsupported operation error. Received: math.ceil(bool). Expected: math.ceil(float)."
  ),
  (
    "math.floor(null) != 77",
    "Unsupported operation error. Received: math.floor(null). Expected: math.floor(float)."
  ),
  (
    "math.floor(true) != 77",
    "Unsupported operation error. Received: math.floor(bool). Expected: math.floor(float)."
  ),
  (
    "math.round(null) != 77",
    "Unsupported operation error. Received: math.round(null). Expected: math.round(float)."
  ),
  (
    "math.round(true) != 77",
    "Unsupported operation error. Received: math.round(bool). Expected: math.round(float)."
  ),
  (
    "math.sqrt(null) != 77",
    "Unsupported operation error. Received: math.sqrt(null). Expected: math.sqrt(float)."
  ),
  (
    "math.sqrt(true) != 77",
    "Unsupported operation error. Received: math.sqrt(bool). Expected: math.sqrt(float)."
  ),
  (
    "math.isNaN(null) != 77",
    "Unsupported operation error. Received: math.isNaN(null). Expected: math.isNaN(float)."
  ),
  (
    "math.isNaN(true) != 77",
    "Unsupported operation error. Received: math.isNaN(bool). Expected: math.isNaN(float)."
  ),
  (
    "hashing.md5(null) != 77",
    "Unsupported operation error. Received: hashing.md5(null). Expected: hashing.md5(bytes), hashing.md5(string)."
  ),
  (
    "hashing.md5(true) != 77",
    "Unsupported operation error. Received: hashing.md5(bool). Expected: hashing.md5(bytes), hashing.md5(string)."
  ),
  (
    "hashing.sha256(null) != 77",
    "Unsupported operation error. Received: hashing.sha256(null). Expected: hashing.sha256(bytes), hashing.sha256(string)."
  ),
  (
    "hashing.sha256(true) != 77",
    "Unsupported operation error. Received: hashing.sha256(bool). Expected: hashing.sha256(bytes), hashing.sha256(string)."
  ),
  (
    "hashing.crc32(null) != 77",
    "Unsupported operation error. Received: hashing.crc32(null). Expected: hashing.crc32(bytes), hashing.crc32(string)."
  ),
  (
    "hashing.crc32(true) != 77",
    "Unsupported operation error. Received: hashing.crc32(bool). Expected: hashing.crc32(bytes), hashing.crc32(string)."
  ),
  (
    "hashing.crc32c(null) != 77",
    "Unsupported operation error. Received: hashing.crc32c(null). Expected: hashing.crc32c(bytes), hashing.crc32c(string)."
  ),
  (
    "hashing.crc32c(true) != 77",
    "Unsupported operation error. Received: hashing.crc32c(bool). Expected: hashing.crc32c(bytes), hashing.crc32c(string)."
  ),
  (
    "timestamp.value(null) != 77",
    "Unsupported operation error. Received: timestamp.value(null). Expected: timestamp.value(int), timestamp.value(string)."
  ),
  (
    "timestamp.value(true) != 77",
    "Unsupported operation error. Received: timestamp.value(bool). Expected: timestamp.value(int), timestamp.value(string)."
  ),
  (
    "timestamp.value('a') != 77",
    "Timestamp is not valid. Seconds must be in range [-62,135,596,800, +253,402,300,799]. Nanos must be in range [0, +999,999,999]."
  ),
  (
    "duration.abs(null) != 77",
    "Unsupported operation error. Received: duration.abs(null). Expected: duration.abs(duration)."
  ),
  (
    "duration.abs(true) != 77",
    "Unsupported operation error. Received: duration.abs(bool). Expected: duration.abs(duration)."
  ),
  (
    "int(null) != 77",
    "Unsupported operation error. Received: int(null). Expected: int(int), int(float), int(string)."
  ),
  (
    "int(true) != 77",
    "Unsupported operation error. Received: int(bool). Expected: int(int), int(float), int(string)."
  ),
  (
    "int('a') != 77",
    "Type conversion error. Argument: [a], From type: [string], To type: [int]."
  ),
  (
    "float(null) != 77",
    "Unsupported operation error. Received: float(null). Expected: float(int), float(float), float(string)."
  ),
  (
    "float(true) != 77",
    "Unsupported operation error. Received: float(bool). Expected: float(int), float(float), float(string)."
  ),
  (
    "float('a') != 77",
    "Type conversion error. Argument: [a], From type: [string], To type: [float]."
  ),
  (
    "string(b'a') != 77",
    "Unsupported operation error. Received: string(bytes). Expected: string(int), string(float), string(null), string(string), string(bool), string(path)."
  ),
  (
    "string(timestamp.value(0)) != 77",
    "Unsupported operation error. Received: string(timestamp). Expected: string(int), string(float), string(null), string(string), string(bool), string(path)."
  ),
  (
    "path(null) != 77",
    "Unsupported operation error. Received: path(null). Expected: path(string)."
  ),
  (
    "path(true) != 77",
    "Unsupported operation error. Received: path(bool). Expected: path(string)."
  ),
  (
    "exists(null) != 77",
    "Unsupported operation error. Received: exists(null). Expected: exists(path)."
  ),
  (
    "exists(true) != 77",
    "Unsupported operation error. Received: exists(bool). Expected: exists(path)."
  ),
  (
    "math.pow(null, 2) != 77",
    "Unsupported operation error. Received: math.pow(null, int). Expected: math.pow(float, float)."
  ),
  (
    "math.pow(true, 2) != 77",
    "Unsupported operation error. Received: math.pow(bool, int). Expected: math.pow(float, float)."
  ),
  (
    "timestamp.date(null, 1, 1) != 77",
    "Unsupported operation error. Received: timestamp.date(null, int, int). Expected: timestamp.date(int, int, int)."
  ),
  (
    "timestamp.date(true, 1, 1) != 77",
    "Unsupported operation error. Received: timestamp.date(bool, int, int). Expected: timestamp.date(int, int, int)."
  ),
  (
    "duration.value(null, 's') != 77",
    "Unsupported operation error. Received: duration.value(null, string). Expected: duration.value(int, string)."
  ),
  (
    "duration.value(true, 's') != 77",
    "Unsupported operation error. Received: duration.value(bool, string). Expected: duration.value(int, string)."
  ),
  (
    "duration.value(1, 'a') != 77",
    "Invalid regular expression pattern. Pattern: a."
  ),
  (
    "duration.time(null, 0, 0, 0) != 77",
    "Unsupported operation error. Received: duration.time(null, int, int, int). Expected: duration.time(int, int, int, int)."
  ),
  (
    "duration.time(true, 0, 0, 0) != 77",
    "Unsupported operation error. Received: duration.time(bool, int, int, int). Expected: duration.time(int, int, int, int)."
  ),
  (
    "latlng.value(null, 1) != 77",
    "Unsupported operation error. Received: latlng.value(null, int). Expected: latlng.value(float, float)."
  ),
  (
    "latlng.value(true, 1) != 77",
    "Unsupported operation error. Received: latlng.value(bool, int). Expected: latlng.value(float, float)."
  ),
  (
    "!null",
    "Unsupported operation error. Received: !null. Expected: !bool."
  ),
  (
    "!(2)",
    "Unsupported operation error. Received: !int. Expected: !bool."
  ),
  (
    "-null != 1",
    "Unsupported operation error. Received: -null. Expected: -int, -float, -duration."
  ),
  (
    "-true != 1",
    "Unsupported operation error. Received: -bool. Expected: -int, -float, -duration."
  ),
  (
    "{null: 1} != 1",
    "Type error. Received: [null] Expected: [string]."
  ),
  (
    "{true: 1} != 1",
    "Type error. Received: [bool] Expected: [string]."
  ),
  (
    "true.a == 1",
    "Type error. Received: [bool] Expected: [map,path]."
  ),
  (
    "(2).a == 1",
    "Type error. Received: [int] Expected: [map,path]."
  ),
  (
    "true[0:1] != 1",
    "Function not found error: Name: [@range]."
  ),
  (
    "true.noSuch() == 1",
    "Function not found error: Name: [noSuch]."
  ),
  (
    "'a'.size(1) == 1",
    "Incorrect number of arguments. Received: 1. Expected: string.size()."
  ),
  (
    "b'a'.size(1) == 1",
    "Incorrect number of arguments. Received: 1. Expected: bytes.size()."
  ),
  (
    "['a'].size(1) == 1",
    "Incorrect number of arguments. Received: 1. Expected: list.size()."
  ),
  (
    "{'a': 1}.size(1) == 1",
    "Incorrect number of arguments. Received: 1. Expected: map.size()."
  ),
  (
    "['a'].toSet().size(1) == 1",
    "Incorrect number of arguments. Received: 1. Expected: set.size()."
  ),
]

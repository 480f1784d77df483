//! Members of values whose type has no name, such as the rows of a table of tests.

use super::meant;

#[test]
fn the_fields_of_a_struct_without_a_name_have_types() {
    let text = "package a

type Store struct{ Size int }
func (s *Store) Open() {}
type Log struct{ Size int }
func (l *Log) Open() {}
func newLog() *Log { return nil }

type Inner struct {
	inner struct{ log *Log }
}

func TestOpen(t *T) {
	type args struct{ log *Log }
	tests := []struct {
		name  string
		store *Store
		args  args
		want  Log
		deep  struct{ store Store }
	}{
		{\"a\", &Store{}, args{}, Log{}, nil},
		{name: \"b\", store: &Store{Size: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.«name», func(t *T) {
			tt.«store».«Open»()
			tt.args.log.«Open»()
			tt.want.«Size»++
			tt.deep.store.«Open»()
		})
	}
}

func run(n Inner, logs chan *Log) {
	n.inner.log.«Open»()
	log := <-logs
	log.«Open»()
	select {
	case log := <-logs:
		log.«Open»()
	}
}

func shadow(log *Store) {
	row := struct{ log *Log }{newLog()}
	row.log.«Open»()
	log.«Open»()
}
";
    let expected = [
        "local",
        "local",
        "Store.Open",
        "Log.Open",
        "Log.Size",
        "Store.Open",
        "Log.Open",
        "Log.Open",
        "Log.Open",
        "Log.Open",
        "Store.Open",
    ];
    assert_eq!(meant("go", &[("a.go", text)]), expected);
}

// Package sample shows what Go has.
package sample

import "fmt"

import (
	"context"
	_ "embed"
	. "math"
	str "strings"

	"example.com/store/v2"
)

// Limits of a request.
const (
	// MaxSize is in bytes.
	MaxSize, minSize = 1 << 20, 16
	_               = iota
	Größe // a name that is not ASCII
)

const A, B = 1, 2

var ErrGone = fmt.Errorf("gone")

var (
	defaultStore, otherStore *store.Store
	handler                  = func(n int) int {
		var doubled = n * 2
		return doubled
	}
)

/*
Level says how loud.
*/
type Level uint8

type Text = string

type (
	// Key is a name in a store.
	Key string

	Pair[K comparable, V any] struct {
		First  K
		Second V `json:"second"`
	}
)

// Store keeps values.
type Store struct {
	context.Context
	*store.Base
	Pair[string, int]
	Name, Path string
	limits     struct {
		Low, High int
	}
	onClose func(err error) bool
}

// Reader reads.
type Reader interface {
	fmt.Stringer
	Closer
	Read(key Key) (value string, err error)
}

type Number interface {
	~int | ~float64
}

var _ Reader = (*Store)(nil)

// New makes a store.
//
// It never fails.
func New(name string, options ...func(*Store)) *Store {
	s := &Store{Name: name, Path: store.Root}
	for _, option := range options {
		option(s)
	}
	s.limits.High = MaxSize
	return s
}

// Read has a pointer as its receiver.
func (s *Store) Read(key Key) (value string, err error) {
	if s == nil || key == "" && len(s.Name) == 0 {
		return "", ErrGone
	}
	switch {
	case key == "a":
		value = "A"
	case key == "b", key == "c":
		value += "B"
	default:
		value = str.ToUpper(string(key))
	}
	return value, nil
}

func (Pair[K, V]) Swap() Pair[V, K] { return Pair[V, K]{} }

func (p *Pair[K, V]) First2() K { return p.First }

// Map is generic.
func Map[T any, R Number](items []T, apply func(T) R) (mapped []R) {
	for i := range items {
		mapped = append(mapped, apply(items[i]))
	}
	return
}

func drain(in <-chan int, kind any) int {
	type local struct{ count int }
	var seen local
	const step = 2
	cases := []struct {
		name string
		want int
	}{{name: "one", want: 1}}
loop:
	for {
		select {
		case n, ok := <-in:
			if !ok {
				break loop
			}
			seen.count += n
		default:
			break loop
		}
	}
	switch k := kind.(type) {
	case int, Level:
		seen.count++
	case *Store:
		go k.Read("x")
	}
	squares := Map[int, int](nil, func(n int) int {
		if n > step {
			return n
		}
		return n * n
	})
	table := map[string]int{A2: len(cases)}
	defer func() { _ = recover() }()
	return seen.count + int(Sqrt(4)) + table["x"] + squares[0]
}

const A2 = "a2"

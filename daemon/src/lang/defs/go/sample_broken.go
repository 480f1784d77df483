package broken

import "fmt"

// Before is whole.
func Before(n int) int {
	return n + 1
}

func Broken(a int {
	fmt.Println(a)
	x := = ) 3
}

// After is whole, too.
type After struct {
	Count int
}

func (a *After) Add(n int) {
	a.Count += n
}

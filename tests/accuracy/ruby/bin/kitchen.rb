require_relative '../lib/kitchen/book'

def festive?(recipe) # ⟦ def festive? name=festive? ⟧
  recipe.is_a?(Kitchen::Dessert) # ⟦ ref Dessert ⟧
end

def main # ⟦ def main ⟧
  book = Kitchen::Book.sample # ⟦ ref Book ; call Book.sample from main ⟧
  book.print_all # ⟦ call Book.print_all from main ⟧
  party = book.shopping(&method(:festive?)) # ⟦ call Book.shopping from main ; ref festive? ⟧
  puts "festive? #{party.size}"
  puts Kitchen::Units.format(500) # ⟦ ref Units ; call Units.format from main ⟧
end

main # ⟦ call main from - ⟧

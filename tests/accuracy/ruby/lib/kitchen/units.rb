# Amounts and what they are measured in.
module Kitchen
  module Units # ⟦ def Units ⟧
    GRAMS_PER_CUP = 240 # ⟦ def Units.GRAMS_PER_CUP ⟧

    def self.format(amount) # ⟦ def Units.format ⟧
      amount > GRAMS_PER_CUP ? "#{to_cups(amount)} cups" : "#{amount} g" # ⟦ ref Units.GRAMS_PER_CUP read ; call Units.to_cups from Units.format ⟧
    end

    def self.to_cups(grams) # ⟦ def Units.to_cups ⟧
      (grams.to_f / GRAMS_PER_CUP).round(1) # ⟦ ref Units.GRAMS_PER_CUP read ⟧
    end
  end

  # Whatever can be scaled to a number of guests.
  module Scalable # ⟦ def Scalable ⟧
    def doubled # ⟦ def Scalable.doubled ⟧
      scale(2) # ⟦ may Ingredient.scale, Recipe.scale ⟧
    end
  end
end

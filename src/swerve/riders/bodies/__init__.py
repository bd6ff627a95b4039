"""How riders move: bicycles, the bodies on them, their balance and posture, in full physics."""
